import Testing
import XMPPCrypto

@Suite("Hashes")
struct HashTests {
    @Test(
        "a digest is that of FIPS 180",
        arguments: [
            (HashAlgorithm.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha512, "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
                    + "454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ]
    )
    func digests(algorithm: HashAlgorithm, text: String, expected: String) {
        #expect(hexadecimal(digest(algorithm, Array(text.utf8))) == expected)
    }

    @Test("HMAC is that of RFC 4231 and RFC 2202")
    func hmacs() {
        let question = Array("what do ya want for nothing?".utf8)
        let jefe = Array("Jefe".utf8)
        #expect(hexadecimal(hmac(.sha1, key: jefe, message: question)) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(
            hexadecimal(hmac(.sha256, key: jefe, message: question))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        )
        #expect(
            hexadecimal(hmac(.sha512, key: jefe, message: question))
                == "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
                + "caeab1a34d4a6b4b636e070a38bce737"
        )
        // A key longer than a block is hashed first.
        let long = [UInt8](repeating: 0xAA, count: 131)
        let text = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            hexadecimal(hmac(.sha256, key: long, message: text))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
        #expect(
            hexadecimal(hmac(.sha256, key: [], message: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        )
    }

    @Test(
        "PBKDF2 is that of RFC 6070 and RFC 7914",
        arguments: [
            (HashAlgorithm.sha1, "password", "salt", 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            (.sha1, "password", "salt", 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
            (.sha1, "password", "salt", 4096, "4b007901b765489abead49d926f721d065a429c1"),
            (.sha512, "password", "salt", 1, "867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"),
            (.sha256, "passwd", "salt", 1, "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"),
        ]
    )
    func derivations(algorithm: HashAlgorithm, password: String, salt: String, iterations: Int, expected: String) {
        let key = pbkdf2(algorithm, password: Secret(password), salt: Array(salt.utf8), iterations: iterations)
        #expect(hexadecimal(key).hasPrefix(expected))
    }

    @Test(
        "PBKDF2 is right with passwords of a block and longer, and with salts of any length",
        arguments: [
            (HashAlgorithm.sha1, 150, 4, 7, "533ffd9e451ad17a557a1b3f09c83b9dab073dec"),
            (.sha1, 20, 16, 4096, "5e2110ac4d5316ec35e0ea0d93b9887f56091b27"),
            (.sha256, 150, 4, 3, "6e949dac514c2861f1f0c1d1872dd96b1619407c3d14d935fe3b6b56757c4b75"),
            (.sha256, 64, 16, 4096, "1d45950c7427b8448649ff0e656ad720f157490b823601b9c0ad40ee6a5fb2a0"),
            (.sha1, 2, 9000, 3, "2668bdc7556089aba754ef8b7f05926464505be3"),
        ]
    )
    func longDerivations(algorithm: HashAlgorithm, password: Int, salt: Int, iterations: Int, expected: String) {
        let key = pbkdf2(
            algorithm, password: Secret([UInt8](repeating: UInt8(ascii: "p"), count: password)),
            salt: [UInt8](repeating: UInt8(ascii: "s"), count: salt), iterations: iterations)
        #expect(hexadecimal(key) == expected)
    }

    @Test("PBKDF2 takes an empty password, an empty salt and a senseless count")
    func derivationsAtTheEdge() {
        #expect(pbkdf2(.sha1, password: Secret([]), salt: [], iterations: 1).count == 20)
        #expect(
            pbkdf2(.sha1, password: Secret([1]), salt: [1], iterations: 0)
                == pbkdf2(.sha1, password: Secret([1]), salt: [1], iterations: 1)
        )
    }

    @Test("byte strings are equal when all their bytes are")
    func comparison() {
        #expect(constantTimeEquals([], []))
        #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEquals([0, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEquals([], [0]))
    }

    @Test("random bytes are as many as asked for, and not the same again")
    func randomness() {
        #expect(randomBytes(0).isEmpty)
        #expect(randomBytes(-1).isEmpty)
        #expect(randomBytes(33).count == 33)
        #expect(Set((0..<1000).map { _ in randomBytes(16) }).count == 1000)
    }

    @Test("a byte is two lower-case digits in hexadecimal")
    func digits() {
        #expect(hexadecimal([0, 9, 0x0A, 0x7F, 0xFF]) == "00090a7fff")
        #expect(hexadecimal([UInt8]()) == "")
    }
}

@Suite("Secret")
struct SecretTests {
    @Test("a secret cannot be seen by printing, dumping or describing it")
    func invisible() {
        struct Holder { var name = "ann", password = Secret("hunter2") }
        let holder = Holder()
        var dumped = ""
        dump(holder, to: &dumped)
        for text in ["\(holder.password)", String(reflecting: holder), "\([holder.password])", dumped] {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("104"), "the code of the first letter")
        }
        #expect("\(holder.password)" == "<secret>")
    }

    @Test("secrets cannot be compared by == (CVE-2021-32921, CVE-2025-59432)")
    func incomparable() {
        let secret: Any = Secret("hunter2")
        #expect(!(secret is any Equatable))
        #expect(!(secret is any Comparable))
    }

    @Test("a secret gives its bytes back")
    func bytes() {
        #expect(Secret("é").bytes == [0xC3, 0xA9])
        #expect(Secret([]).bytes == [])
        #expect(Secret("").isEmpty && !Secret("a").isEmpty)
        #expect(Secret("abc").withBytes { Array($0) } == Array("abc".utf8))
    }
}
