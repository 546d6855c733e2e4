import EchoBot
import GreeterBot
import XMPPClient

/// The modules of the bots in this repository, one line each.
let builtInModules: [any XMPPModule.Type] = [
    Echo.self, Greeter.self,
]
