extension ServerBehaviour {
    /// How the answers to a client's requests are sent; no order is promised to it, for requests to several entities at least
    /// (RFC 6120 section 10.1).
    public struct Answers: Sendable, Hashable {
        /// An order of answers that were held.
        public enum Order: Sendable, Hashable {
            /// As the requests came; nothing is held, unless `held` says so.
            case asAsked
            /// The last one first.
            case reversed
            /// The one of that number among all orders of so many answers, of which 0 is as asked; where there are not as many,
            /// it is counted from the beginning again. So a few numbers are all orders of a few answers, and any number serves
            /// as a seed.
            case permutation(Int)
        }

        /// How many are held before they are sent at once; nil for those to the requests of one read.
        ///
        /// Whatever else the client sends is answered meanwhile, and what it is owed comes first.
        public var held: Int?
        /// In which order they are sent then.
        public var order: Order
        /// How often each is sent; at least once.
        public var copies: Int

        /// As a server answers, unless something is said.
        public init(held: Int? = nil, order: Order = .asAsked, copies: Int = 1) {
            self.held = held
            self.order = order
            self.copies = copies
        }

        /// Puts what was held into its order.
        func arranged<Answer>(_ held: [Answer]) -> [Answer] {
            var answers = held
            switch order {
            case .asAsked: break
            case .reversed: answers.reverse()
            case .permutation(let number):
                var (left, rest) = (held, Int(number.magnitude % UInt(Int.max)))
                answers = []
                while !left.isEmpty {
                    answers.append(left.remove(at: rest % left.count))
                    rest /= left.count + 1
                }
            }
            return answers.flatMap { [Answer](repeating: $0, count: max(1, copies)) }
        }
    }

    /// What a server may do about a resource that is taken (RFC 6120 section 7.7.2.2).
    public enum ResourceConflict: Sendable, Hashable, CaseIterable {
        /// The session that has it is thrown out (`conflict`).
        case replacesOld
        /// Who asks for it is refused (`conflict`).
        case refusesNew
        /// Who asks for it gets another one.
        case renamesNew
        /// The account may have one session, whatever its resource: the one before is thrown out.
        case allowsOne
    }

    /// How a resumption is refused (XEP-0198 section 5).
    public struct ResumptionRefusal: Sendable, Hashable {
        /// The name of the stanza error's condition; nil says none.
        public var condition: String?
        /// What is in the attribute `h`, sensible or not; nil leaves it out.
        public var handled: String?

        /// A refusal.
        public init(_ condition: String?, handled: String? = nil) {
            self.condition = condition
            self.handled = handled
        }
    }
}
