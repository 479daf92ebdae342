import Cryptography
import TestCertificates
import TestSupport
import Testing

/// A chain that differs from a good one in one thing, and what OpenSSL says of it; nil for nothing.
struct ChainCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var host = "mail.contoso.example"
  var later: Int64 = 0
  let fault: String?
  let chain: @Sendable () throws -> TestChain

  init(
    _ description: String, host: String = "mail.contoso.example", later: Int64 = 0, _ fault: String? = nil,
    _ chain: @escaping @Sendable () throws -> TestChain = { try TestChain() }
  ) {
    testDescription = description
    self.host = host
    self.later = later
    self.fault = fault
    self.chain = chain
  }

  static let all = [
    ChainCase("a good one"),
    ChainCase("before its time", later: -86_401, "certificate is not yet valid"),
    ChainCase("at the end of its time", later: 86_399),
    ChainCase("behind its time", later: 86_401, "certificate has expired"),
    ChainCase("a name in capitals", host: "MAIL.contoso.EXAMPLE"),
    ChainCase("another name", host: "contoso.example", "hostname mismatch"),
    ChainCase("a wildcard", host: "a.contoso.example") { try TestChain(host: "DNS:*.contoso.example") },
    ChainCase("a wildcard for two labels", host: "a.b.contoso.example", "hostname mismatch") {
      try TestChain(host: "DNS:*.contoso.example")
    },
    ChainCase("a wildcard for none", host: "contoso.example", "hostname mismatch") {
      try TestChain(host: "DNS:*.contoso.example")
    },
    ChainCase("a wildcard for a part of a label", host: "mail1.contoso.example", "hostname mismatch") {
      try TestChain(host: "DNS:mail*.contoso.example")
    },
    ChainCase("a name in the subject alone", host: "Test Server", "hostname mismatch"),
    ChainCase("an IPv4 address", host: "192.0.2.7") { try TestChain(host: "IP:192.0.2.7") },
    ChainCase("another IPv4 address", host: "192.0.2.8", "IP address mismatch") {
      try TestChain(host: "IP:192.0.2.7")
    },
    ChainCase("an address as a name", host: "192.0.2.7", "IP address mismatch") {
      try TestChain(host: "DNS:192.0.2.7")
    },
    ChainCase("an IPv6 address in another spelling", host: "2001:db8:0:0::1") {
      try TestChain(host: "IP:2001:db8::1")
    },
    ChainCase("a client's certificate", "unsuitable certificate purpose") {
      try TestChain { $0.purpose = "clientAuth" }
    },
    ChainCase("a digest that is broken", "CA signature digest algorithm too weak") {
      try TestChain { $0.digest = "SHA1" }
    },
    ChainCase("a key that is too short", "EE certificate key too weak") { try TestChain(key: .rsa(bits: 1024)) },
    ChainCase("RSA") { try TestChain(key: .rsa(bits: 2048)) },
    ChainCase("Ed25519") { try TestChain(key: .ed25519) },
  ]
}

@Suite struct CertificateTests {
  private let folder = TemporaryFolder()

  private func verify(
    _ presented: [[UInt8]], _ chain: TestChain, host: String = "mail.contoso.example", later: Int64 = 0
  ) throws -> ChainVerification {
    let certificates = try presented.map { try Certificate(der: $0) }
    return try ChainVerification(
      of: try #require(certificates.first), others: Array(certificates.dropFirst()), host: host,
      at: 1_780_000_000 + later, trusting: .file(folder.write(chain.trustedText, to: "trusted.pem")))
  }

  @Test("A certificate chain verifies up to its authority, or reports the fault it has", arguments: ChainCase.all)
  func chain(_ test: ChainCase) throws {
    let chain = try test.chain()
    let result = try verify(chain.presented, chain, host: test.host, later: test.later)
    let isAsExpected = test.fault.map { fault in result.faults.contains { $0.text == fault } } ?? result.faults.isEmpty
    #expect(isAsExpected, "\(result.faults)")
    #expect(!result.faults.contains { $0.isSignature })
    let keys = try [chain.leaf, chain.middle, chain.root].map { try $0.pin() }
    #expect(try result.path.map { try $0.publicKeyDigest() } == keys)
  }

  @Test("A certificate chain with an untrusted root or a missing link is refused")
  func untrusted() throws {
    let (chain, other) = (try TestChain(), try TestChain(organization: "Other"))
    let whole = try verify(chain.presented + [chain.root.der], other)
    #expect(whole.faults.map(\.text) == ["self-signed certificate in certificate chain"])
    let part = try verify([chain.leaf.der], chain)
    #expect(part.faults.first?.text == "unable to get local issuer certificate")
  }

  @Test("A wrong signature in a certificate chain is reported beside other faults")
  func signature() throws {
    let chain = try TestChain()
    let faults = try verify([chain.leaf.tampered, chain.middle.der], chain, later: 100_000).faults
    #expect(faults.contains { $0.isSignature })
    #expect(faults.contains { $0.text == "certificate has expired" })
  }

  @Test("A self-signed certificate is trusted only for its own hosts and period")
  func selfSigned() throws {
    let made = try SelfSignedCertificate(
      "a", hosts: ["DNS:localhost", "IP:127.0.0.1", "IP:::1"], validity: 1000...2000)
    let certificate = try Certificate(pem: made.certificate)
    let store = try TrustStore.file(folder.write(String(decoding: made.certificate, as: UTF8.self), to: "own.pem"))
    func faults(_ host: String, at seconds: Int64 = 1500) throws -> [String] {
      try ChainVerification(of: certificate, others: [], host: host, at: seconds, trusting: store).faults.map(\.text)
    }
    for host in ["localhost", "127.0.0.1", "::1"] { #expect(try faults(host).isEmpty) }
    #expect(try faults("mam.contoso.example") == ["hostname mismatch"])
    #expect(try faults("localhost", at: 2001) == ["certificate has expired"])
    #expect(String(decoding: made.privateKey, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----"))
  }

  @Test("The issuer of a certificate is recognized by its name and key")
  func issuer() throws {
    let chain = try TestChain()
    let pretender = try TestChain()
    let certificates = try [chain.leaf, chain.middle, chain.root, pretender.middle].map { try Certificate(der: $0.der) }
    #expect(certificates[0].isIssued(by: certificates[1]))
    #expect(certificates[1].isIssued(by: certificates[2]))
    #expect(!certificates[0].isIssued(by: certificates[2]))
    #expect(!certificates[1].isIssued(by: certificates[0]))
    #expect(!certificates[0].isIssued(by: certificates[3]))
  }

  @Test("A certificate with an unknown key or signature algorithm is recognized as such")
  func algorithms() throws {
    let leaf = try TestChain().leaf
    #expect(try Certificate(der: leaf.der).hasKnownAlgorithms)
    for known in [AlgorithmIdentifier.ecPublicKey, AlgorithmIdentifier.ecdsaWithSHA256] {
      let unknown = Array(known.dropLast()) + [0x7F]
      let strange = try Certificate(der: leaf.replacing(known, with: unknown))
      #expect(!strange.hasKnownAlgorithms)
    }
  }

  @Test("Bytes that are not exactly one certificate are refused")
  func damaged() throws {
    let der = try TestChain().leaf.der
    for bytes in [[], [0x30], Array("-----BEGIN".utf8), Array(der.dropLast()), der + [0]] {
      #expect(throws: CryptographyError.self) { try Certificate(der: bytes) }
    }
  }

  @Test("A trust store file must exist and contain certificates")
  func store() throws {
    #expect(throws: CryptographyError.self) { try TrustStore.file(folder.file("none.pem")) }
    #expect(throws: CryptographyError.self) { try TrustStore.file(folder.write("", to: "empty.pem")) }
    _ = try TrustStore.system()
  }
}
