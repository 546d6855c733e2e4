import XMPPClient
import XMPPSession

/// The codes of the alerts that the runtime raises.
package enum AlertCode {
    /// An account is not tried again until its configuration changes.
    package static let accountParked = "account_parked"
    /// An account has not come online in several tries, and is tried again.
    package static let accountOffline = "account_offline"
    /// A reload was refused: the running configuration stays.
    package static let reloadRefused = "reload_refused"
    /// An account has too many unfinished requests.
    package static let deskFull = "desk_full"
    /// The server offers no login as strong as one that has worked before: the account is parked.
    package static let loginWeakened = "login_weakened"
    /// The server no longer offers to bind logins to their TLS connection: the account is parked.
    package static let channelBindingLost = "channel_binding_lost"

    /// A module of an account does not come back from a call.
    package static let moduleStuck = "module_stuck"
    /// A module of an account could not be made.
    package static let moduleFailed = "module_failed"
    /// A module of an account is not run any more, since it ended the process again and again.
    package static let moduleDisabled = "module_disabled"

    /// Those that are about one account.
    static let ofAccounts =
        [accountParked, accountOffline, deskFull, loginWeakened, channelBindingLost] + ofModules
    /// Those that are about the modules of one account.
    static let ofModules = [moduleStuck, moduleFailed, moduleDisabled]

    /// Why an account is parked.
    static func ofParking(_ end: SessionEnd) -> String {
        guard case .session(let error) = end.cause else { return accountParked }
        return switch error.code {
        case .loginWeakened: loginWeakened
        case .bindingLost: channelBindingLost
        case _: accountParked
        }
    }
}
