package import DoorwardConfig
import Glibc

/// Who is at the other end of the control socket, by what the kernel says of them.
package enum CallerRecognition {
    /// Somebody who may give no command, and what would have to be written for them.
    package struct Refusal: Error, Hashable, Sendable {
        package var text: String
    }

    /// Decides from the kernel's credentials.
    ///
    /// - Parameters:
    ///   - uid: The caller's user id (`SO_PEERCRED`).
    ///   - userName: That user's name; nil where the system knows none.
    ///   - serviceUID: The user id under which the service runs.
    ///   - operators: Those of the configuration that runs.
    /// - Returns: The caller with the role that counts.
    /// - Throws: `Refusal` for anybody else.
    package static func caller(
        uid: UInt32,
        userName: String?,
        serviceUID: UInt32,
        operators: [OperatorConfiguration]
    ) throws(Refusal) -> Caller {
        // Who can read and write the store and the secrets already is not kept from the commands.
        if uid == 0 || uid == serviceUID { return Caller(name: userName ?? "uid \(uid)", role: .admin) }
        guard let userName else {
            throw Refusal(text: "user id \(uid) has no name on this machine, so no operator can be meant by it")
        }
        if let person = operators.first(where: { $0.user?.utf8.elementsEqual(userName.utf8) ?? false }) {
            return Caller(name: person.name, role: person.role)
        }
        throw Refusal(
            text:
                "the Unix user '\(userName)' is no operator of this service; an admin adds under 'operators:' the line"
                + " '- { name: \(userName), user: \(userName), role: operator }' and runs 'doorward reload'"
        )
    }

    /// The name of a user id, from the system's user database.
    ///
    /// Blocks for as long as that takes.
    package static func userName(of uid: UInt32) -> String? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer -> String? in
            guard let memory = buffer.baseAddress,
                getpwuid_r(uid, &entry, memory, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
            else { return nil }
            return String(cString: name)
        }
    }
}
