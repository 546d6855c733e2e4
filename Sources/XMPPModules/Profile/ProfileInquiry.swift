import XMPPClient
import XMPPCore

/// Asks the server what it has of a profile, all at once.
struct ProfileInquiry {
    /// What has arrived; in the isolation of the module that asks.
    private final class Answers {
        var found = ProfilePlan.Found()
        var errors: [ProfileModule.Outcome] = []
        var missing = 1

        init() {}
    }

    let session: ModuleSession

    /// Asks.
    ///
    /// - Parameters:
    ///   - profile: For which parts.
    ///   - account: Whose.
    ///   - reply: Called once: with what is there, and with the parts of which the server did not say it.
    func look(
        for profile: Profile, account: BareJID, reply: @escaping (ProfilePlan.Found, [ProfileModule.Outcome]) -> Void
    ) {
        let answers = Answers()
        let arrived = {
            answers.missing -= 1
            if answers.missing == 0 { reply(answers.found, answers.errors) }
        }
        func ask(_ begin: (@escaping () -> Void) -> Void) {
            answers.missing += 1
            begin(arrived)
        }
        ask { arrived in
            session.request(.get, to: JID(account), DiscoPayload.info()) { result in
                // A server that does not say it has neither. A service for nodes is not yet one for an account's own
                // (XEP-0163 section 6).
                let info = (try? result.get()).flatMap { $0 }.flatMap { DiscoPayload.info(in: $0) }
                answers.found.converts = info?.has(Namespace.avatarConversion) ?? false
                answers.found.hasNodes = info?.isA("pubsub", "pep") ?? false
                arrived()
            }
        }
        ask { arrived in
            session.vCard { result in
                switch result {
                case .success(let card): answers.found.card = card
                case .failure(let error): answers.errors.append(.init(part: .vCard, error: error))
                }
                arrived()
            }
        }
        // Where there are no nodes the server refuses, and nothing is published there.
        if profile.avatar != nil {
            ask { arrived in
                session.items(of: Namespace.avatarMetadata) { result in
                    answers.found.metadata = (try? result.get()).map {
                        AvatarMetadata.current(in: $0) ?? AvatarMetadata(nil)
                    }
                    arrived()
                }
            }
        }
        if profile.nickname != nil {
            ask { arrived in
                session.items(of: Namespace.nick, maximum: 1) { result in
                    answers.found.nickname = (try? result.get()).map { $0.last?.payload?.text ?? "" }
                    arrived()
                }
            }
        }
        arrived()
    }
}
