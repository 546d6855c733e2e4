/// The bytes are a certificate in DER.
func fuzzCertificate(_ input: [UInt8]) -> String? {
    nil
}
