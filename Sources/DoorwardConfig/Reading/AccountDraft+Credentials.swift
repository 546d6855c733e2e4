extension AccountDraft {
    /// Reports that nothing says how the account logs in, unless the file may do so where it could not be read.
    func reportNoCredentials() {
        guard !mayHaveCredentials else { return }
        reader.report(
            FaultCatalogue.missingKey, wholeMark,
            "an account needs the key 'password', or a certificate under 'login'")
    }
}
