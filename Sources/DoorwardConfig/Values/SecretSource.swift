/// Where a password comes from.
///
/// The password itself never stands in a file of ours.
package enum SecretSource: Hashable, Sendable {
    /// A file that others may not read; its first line.
    case file(path: String)
    /// A variable of the environment.
    case environment(name: String)
    /// A systemd credential (`$CREDENTIALS_DIRECTORY/NAME`).
    case credential(name: String)
    /// A program whose standard output's first line it is.
    case command([String])
}
