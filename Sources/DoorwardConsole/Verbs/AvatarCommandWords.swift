import DoorwardConfig
import Glibc
import XMPPCore

/// Pictures in files of the caller: the service gets and gives bytes, and opens no file for anybody.
enum AvatarCommandWords {
    /// The arguments of `avatar`.
    static func arguments(of invocation: Invocation) throws(UsageError) -> [JSONMember] {
        var members: [JSONMember] = []
        for (name, text) in zip(["account", "contact"], invocation.arguments) {
            do { members.append(JSONMember(name, .string(try BareJID(text).description))) } catch {
                throw UsageError("'\(text)' is \(error.description); give an address, such as ann@example.org")
            }
        }
        guard let path = invocation["set"] else {
            guard invocation.arguments.count == 2 else {
                throw UsageError("'avatar' needs whose picture is asked for, or --set FILE for the account's own")
            }
            if invocation.has("fresh") { members.append(JSONMember("fresh", .bool(true))) }
            if isStandardOutput(invocation["output"]) { try checkOutput(STDOUT_FILENO, json: invocation.json) }
            return members
        }
        guard invocation.arguments.count == 1, invocation["output"] == nil, !invocation.has("fresh") else {
            throw UsageError("--set goes with the account alone: leave out the contact, -o and --fresh")
        }
        members.append(JSONMember("set", .string(Base64.encode(try picture(path)))))
        return members
    }

    /// Whether `-o -` was said: standard output, as elsewhere.
    private static func isStandardOutput(_ path: String?) -> Bool { path?.utf8.elementsEqual("-".utf8) ?? false }

    /// Refuses what would make a mess of a picture on standard output.
    ///
    /// - Parameters:
    ///   - descriptor: Standard output.
    ///   - json: Whether data is printed there too.
    /// - Throws: Where a picture cannot go there.
    static func checkOutput(_ descriptor: Int32, json: Bool) throws(UsageError) {
        if json { throw UsageError("-o - and --json both write to standard output: leave one out, or name a file") }
        guard isatty(descriptor) == 0 else {
            throw UsageError(
                "a picture is no text for a terminal: write it to a file, -o FILE, or pipe it into another program")
        }
    }

    private static func picture(_ path: String) throws(UsageError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileLoading.Failure) {
            bytes = try FileLoading.bytes(of: path, limit: AvatarImage.publishingLimit)
        } catch {
            throw UsageError("the picture \(path) cannot be read: \(error.words)")
        }
        do throws(AvatarImage.Fault) {
            return try AvatarImage(bytes, limit: AvatarImage.publishingLimit).bytes
        } catch {
            throw UsageError("\(path): \(CommandModel.words(error))")
        }
    }

    /// Writes what came to the file that was named, and leaves the bytes out of what is printed.
    ///
    /// - Returns: What is left to print.
    @Sendable static func save(_ result: CommandResult, _ invocation: Invocation) -> CommandResult {
        guard let members = result.data.members else { return result }
        let data = result.data["data"]?.string
        var result = result
        result.data = .object(members.filter { $0.key != "data" })
        guard let path = invocation["output"], result.status == .done, let data, let bytes = Base64.decode(data)
        else { return result }
        let reason = isStandardOutput(path) ? write(bytes, to: STDOUT_FILENO) : write(bytes, to: path)
        if let reason {
            return CommandResult(.refused, data: result.data, error: "cannot write \(path): \(reason)")
        }
        return result
    }

    /// Writes a whole file.
    ///
    /// - Returns: What the system says where it cannot be written.
    private static func write(_ bytes: [UInt8], to path: String) -> String? {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        defer { close(file) }
        return write(bytes, to: file)
    }

    /// Writes to an open file.
    ///
    /// - Returns: What the system says where it cannot be written.
    static func write(_ bytes: [UInt8], to file: Int32) -> String? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return String(cString: strerror(errno))
            }
        }
        return nil
    }

    /// What `avatar` says in words.
    static func words(_ data: JSONValue, _ invocation: Invocation) -> [TerminalText] {
        // There stands the picture.
        if isStandardOutput(invocation["output"]) { return [] }
        let picture = "\(data["type"]?.string ?? "a picture"), \(data["bytes"]?.integer ?? 0) bytes"
        let account = data["account"]?.string ?? ""
        guard let contact = data["contact"]?.string else {
            return [TerminalText("\(account) has a new picture: \(picture)")]
        }
        let place = data["source"]?.string == "pep" ? "its node" : "its vCard"
        let origin = data["origin"]?.string == "cache" ? "the copy of this service" : "asked just now"
        var lines = [TerminalText("\(contact): \(picture), announced by \(place), \(origin)")]
        if data["refused_hash"]?.string != nil {
            lines.append(TerminalText("it has announced another since, which did not come or is none that is taken"))
        }
        if let path = invocation["output"] { lines.append(TerminalText("written to \(path)")) }
        return lines
    }
}
