/// Policies of the tests, without the head that `Deployment` writes.
enum Policies {
    /// Accepts friends, refuses spam and adverts, asks about everyone else.
    static let community = """
        lists:
          adverts: [casino, jackpot]
        subscription:
          - rule: friends
            when: { domain: friends.test }
            then: { accept: { subscribe_back: true, groups: [Friends], name: A friend } }
          - rule: spam hosts
            when: { domain: spam.test }
            then: { reject: { block: true } }
          - rule: adverts
            when: { message: { contains: "@adverts" } }
            then: reject
        """

    /// Leaves everything to a person.
    static let askAll = """
        subscription:
          - rule: everyone
            then: ask
        """

    /// Accepts everybody.
    static let acceptAll = """
        subscription:
          - rule: everyone
            then: accept
        """
}
