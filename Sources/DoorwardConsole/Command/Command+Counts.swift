/// How many arguments a command takes: each but the last is one, and the last takes the rest.
extension Command {
    var mostArguments: Int {
        arguments.reduce(0) { sum, argument in
            switch argument.count {
            case .one: sum + 1
            case .oneOrMore(let limit), .any(let limit): sum + limit
            }
        }
    }

    /// The first argument that is needed and not there.
    func missingArgument(_ given: Int) -> Argument? {
        let needed = arguments.filter(\.count.isNeeded)
        return given < needed.count ? needed[given] : nil
    }

    var placeholders: String { arguments.map(\.placeholder).joined(separator: " ") }
}
