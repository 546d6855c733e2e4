import Foundation
import Testing
import XMPPTestKit

@testable import DoorwardConsole

extension ConnectCheckTests {
    @Test("behind SASL2 it is the features after the login that say what the server can do (XEP-0388)")
    func lateFeatures() async throws {
        for keeps in [true, false] {
            let (status, screen, _) = try await check {
                $0 = .modern
                $0.keepsPreApprovals = keeps
            }
            #expect(status == .done && screen.output.contains("pre-approvals (RFC 6121") == keeps, "\(screen.output)")
            #expect(screen.output.components(separatedBy: "bound as").count == 2)
        }
        let (status, screen, _) = try await check {
            $0 = .modern
            $0.sasl2?.sendsFeatures = false
        }
        #expect(status == .done && screen.output.contains("can log in"), "a server that sends none is not waited for")
    }
}
