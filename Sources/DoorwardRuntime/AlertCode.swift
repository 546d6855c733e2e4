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
}
