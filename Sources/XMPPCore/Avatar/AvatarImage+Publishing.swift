extension AvatarImage {
    /// Most bytes of a picture that is published as one's own.
    ///
    /// Less than what is taken of others: 8 KiB are recommended (XEP-0153 section 5), and no server refuses so much as this in
    /// a stanza.
    public static let publishingLimit = 65_536
}
