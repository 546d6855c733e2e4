import EchoBot
import Testing
import XMPPClient
import XMPPCore
import XMPPTestKit

@Suite struct EchoTests {
    @Test("nothing yet") func nothing() {}
}
