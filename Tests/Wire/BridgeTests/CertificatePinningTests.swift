import Cryptography
import JSON
import MAM
import TestCertificates
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct CertificatePinningTests {
  private static let host = "mail.contoso.example"
  private static let user = "listed@fabrikam.example"

  private let tenant = TenantFolder()
  private let folder = TemporaryFolder()

  /// Its store trusts the authority of the chain.
  private func server(_ chain: TestChain, pins: JSONValue, flags: [String] = []) throws -> TestHost {
    pin(pins)
    let path = folder.write(chain.trustedText, to: "trusted.pem")
    return try TestHost(
      .folder(tenant.path), flags: flags, folder: folder,
      configure: { $0.openTrustStore = { () throws(CryptographyError) -> TrustStore in try .file(path) } })
  }

  private func pin(_ pins: JSONValue) {
    tenant.write(
      #"{"certificatePins": \#(pins.jsonText), "# + TenantFolder.tenant(mdm: "null").dropFirst(), to: "tenant.json")
  }

  private func pins(_ certificates: TestCertificate..., host: String = host) throws -> JSONValue {
    [host: .array(try certificates.map { .string(Base64Bytes(try $0.pin()).text) })]
  }

  private func params(
    _ certificates: [[UInt8]]?, host: JSONValue = .string(host), account: String? = nil
  ) -> JSONValue {
    [
      "certificates": certificates?.jsonBase64 ?? .null, "hostname": host,
      "account": account.map(JSONValue.string) ?? .null,
    ]
  }

  private func validate(_ server: TestHost, _ params: JSONValue) throws -> JSONValue {
    try server.call("certificatePinningManager.validateChainWithCertificates", params)
  }

  /// The error of both methods, which must be one.
  private func fault(
    _ server: TestHost, _ certificates: [[UInt8]]?, host: JSONValue = .string(host)
  ) throws -> JSONValue {
    let error = try server.error(
      "certificatePinningManager.validateChainWithCertificates", params(certificates, host: host))
    let other = try server.error(
      "certificatePinningManager.validateChainWithChallenge",
      ["challenge": ["host": host, "certificates": certificates?.jsonBase64 ?? .null]])
    #expect(error == other)
    #expect(error["data"]?["domain"] == "IntuneMAMCertificatePinningErrorDomain")
    #expect(error["data"]?["sdkCode"]?.integerValue.map { $0 + 2000 } == error["code"]?.integerValue)
    #expect(error["data"]?["hint"] != nil)
    return error["code"] ?? .null
  }

  @Test("A certificate chain is accepted if the key of its leaf, its intermediate or its root is pinned")
  func pinned() throws {
    let chain = try TestChain()
    for pinned in [chain.leaf, chain.middle, chain.root] {
      let server = try server(chain, pins: try pins(try TestChain().leaf, pinned))
      try server.enroll(.string(Self.user))
      #expect(try validate(server, params(chain.presented)) == true)
      #expect(try validate(server, params(chain.presented + [chain.root.der])) == true)
      let challenge: JSONValue = ["host": .string(Self.host), "certificates": chain.presented.jsonBase64]
      #expect(
        try server.call("certificatePinningManager.validateChainWithChallenge", ["challenge": challenge]) == true)
    }
  }

  @Test("Invalid pinning arguments fail with 2100, 2101, 2102 or 2105, even if the host has no pins")
  func arguments() throws {
    let chain = try TestChain()
    let server = try server(chain, pins: [:])
    let error = try server.error("certificatePinningManager.validateChainWithChallenge", ["challenge": .null])
    #expect(error["code"] == 2100)
    #expect(error["data"]?["sdkCode"] == 100)
    for certificates in [nil, []] as [[[UInt8]]?] {
      #expect(try fault(server, certificates, host: .null) == 2101)
    }
    for host in [.null, "", "https://a.example", "a.example:443", "*.a.example", ".a.example", "a..b"] as [JSONValue] {
      #expect(try fault(server, chain.presented, host: host) == 2102, "\(host)")
    }
    for certificate in [[], [0x30], Array(chain.leaf.der.dropLast()), chain.leaf.der + [0]] {
      #expect(try fault(server, [chain.leaf.der, certificate]) == 2105)
    }
  }

  @Test("A certificate chain that is expired, incomplete or from an unknown authority fails with 2103")
  func trust() throws {
    let (chain, other) = (try TestChain(), try TestChain(organization: "Other"))
    let server = try server(chain, pins: try pins(chain.leaf, other.leaf))
    try server.enroll(.string(Self.user))
    #expect(try fault(server, other.presented) == 2103)
    #expect(try fault(server, [chain.leaf.der]) == 2103)
    server.clock.advance(byMilliseconds: 100_000_000)
    #expect(try fault(server, chain.presented) == 2103)
  }

  @Test(
    "A certificate for another host, or not for a server, fails pinning with 2103",
    arguments: [("DNS:other.example", "serverAuth"), ("DNS:\(host)", "clientAuth"), ("IP:192.0.2.1", "serverAuth")])
  func names(_ name: String, _ purpose: String) throws {
    let chain = try TestChain(host: name) { $0.purpose = purpose }
    let server = try server(chain, pins: try pins(chain.leaf))
    try server.enroll(.string(Self.user))
    #expect(try fault(server, chain.presented) == 2103)
  }

  @Test("A certificate chain with a bad signature, a wrong order or an extra certificate fails with 2104")
  func formation() throws {
    let chain = try TestChain()
    let server = try server(chain, pins: try pins(chain.leaf))
    try server.enroll(.string(Self.user))
    #expect(try fault(server, [chain.leaf.tampered, chain.middle.der]) == 2104)
    #expect(try fault(server, [chain.leaf.der, chain.root.der, chain.middle.der]) == 2104)
    #expect(try fault(server, chain.presented + [try TestChain().leaf.der]) == 2104)
  }

  @Test(
    "A certificate with an unknown key or signature algorithm fails pinning with 2106",
    arguments: [AlgorithmIdentifier.ecPublicKey, AlgorithmIdentifier.ecdsaWithSHA256])
  func algorithm(_ known: [UInt8]) throws {
    let chain = try TestChain()
    let server = try server(chain, pins: try pins(chain.leaf))
    try server.enroll(.string(Self.user))
    let strange = chain.leaf.replacing(known, with: known.dropLast() + [0x7F])
    #expect(try fault(server, [strange, chain.middle.der]) == 2106)
  }

  @Test("A trusted certificate chain without a pinned key fails with 2107, and the log names the host")
  func match() throws {
    let chain = try TestChain()
    let server = try server(chain, pins: try pins(try TestChain().leaf))
    try server.enroll(.string(Self.user))
    #expect(try fault(server, chain.presented) == 2107)
    let lines = try server.call("diagnosticsLog.query", ["category": "certificatePinning", "level": "warning"])
    #expect(lines.arrayValue?.first?["message"]?.stringValue?.contains(Self.host) == true)
  }

  @Test("Pinning ignores case, a final dot and brackets in a host, and accepts any chain without pins")
  func hosts() throws {
    let chain = try TestChain()
    let address = try TestChain(host: "IP:2001:db8::1", organization: "Other")
    var pins = try pins(chain.leaf, host: "MAIL.contoso.example").objectValue ?? [:]
    pins["[2001:db8:0::1]"] = try self.pins(chain.leaf, host: "a")["a"]
    let server = try server(chain, pins: .object(pins))
    try server.enroll(.string(Self.user))
    for host in ["mail.contoso.example", "Mail.Contoso.Example."] {
      #expect(try validate(server, params(chain.presented, host: .string(host))) == true)
      #expect(try fault(server, address.presented, host: .string(host)) == 2103)
    }
    for host in ["2001:db8::1", "[2001:DB8::1]"] {
      #expect(try fault(server, address.presented, host: .string(host)) == 2103)
    }
    for host in ["contoso.example", "a.mail.contoso.example", "192.0.2.1"] {
      #expect(try validate(server, params(address.presented, host: .string(host))) == true)
    }
  }

  @Test("Pinning applies the pins of the account in the call, else those of the effective identity")
  func accounts() throws {
    let chain = try TestChain()
    let server = try server(chain, pins: try pins(try TestChain().leaf), flags: ["MultiIdentity=true"])
    func isEnabled(_ account: JSONValue) throws -> JSONValue {
      try server.call("certificatePinningManager.isPinningEnabled", ["account": account])
    }
    #expect(try isEnabled(.string(Self.user)) == false)
    try server.enroll(.string(Self.user))
    #expect(try isEnabled(.string(Self.user)) == true)
    #expect(try isEnabled(.null) == false)
    #expect(try isEnabled("") == false)
    #expect(try validate(server, params(chain.presented)) == true)
    #expect(try validate(server, params(chain.presented, account: "")) == true)
    _ = try server.call("policyManager.setProcessIdentity", ["account": .string(Self.user)])
    #expect(try isEnabled(.null) == true)
    #expect(try isEnabled("") == false)
    #expect(try fault(server, chain.presented) == 2107)
    #expect(try validate(server, params(chain.presented, account: "else@where.example")) == true)
  }

  @Test("Certificate pins survive a restart, and a check-in replaces them unless the new pins are invalid")
  func life() throws {
    let chain = try TestChain()
    let first = try server(chain, pins: try pins(try TestChain().leaf))
    try first.enroll(.string(Self.user))
    #expect(try fault(try server(chain, pins: try pins(chain.leaf)), chain.presented) == 2107)
    let statuses = try first.call("tenant.checkIn")
    #expect(statuses.arrayValue?.map { $0["statusCode"] } == [101])
    #expect(try validate(first, params(chain.presented)) == true)
    pin(["mail.contoso.example": ["AAAA"]])
    #expect(try first.call("tenant.checkIn").arrayValue?.map { $0["statusCode"] } == [206])
    #expect(try first.call("certificatePinningManager.isPinningEnabled") == true)
    pin(.null)
    _ = try first.call("tenant.checkIn")
    #expect(try first.call("certificatePinningManager.isPinningEnabled") == false)
  }

  @Test("Pinning refuses over 32 certificates or one of over 64 KiB, and names the parameter's path")
  func limits() throws {
    let server = try TestHost()
    let name = "certificatePinningManager.validateChainWithCertificates"
    let many = try server.error(name, params([[UInt8]](repeating: [0x30], count: 33)))
    #expect(many["code"] == -32602)
    #expect(many["data"]?["path"] == "/certificates")
    let large = try server.error(name, params([[0x30], [UInt8](repeating: 0, count: (64 << 10) + 1)]))
    #expect(large["code"] == -32602)
    #expect(large["data"]?["path"] == "/certificates/1")
    let error = try server.error(
      name, params([[UInt8]](repeating: [UInt8](repeating: 0, count: 64 << 10), count: 32)))
    #expect(error["code"] == 2105)
    #expect(try server.error(name, ["certificates": []])["data"]?["path"] == "/hostname")
  }

  @Test("certificatePinningManager.showErrorMessage returns when the user dismisses the host's alert")
  func message() throws {
    let host = EventHost(try TestHost().bridge)
    _ = try host.call("initialize", ["delegates": [.string(ShowAlert.name)]])
    let id = host.send("certificatePinningManager.showErrorMessage", ["account": .string(Self.user)])
    let question = try host.nextQuestion()
    #expect(question["method"] == .string(ShowAlert.name))
    #expect(question["params"]?["actions"] == ["OK"])
    for text in ["title", "message"] { #expect(question["params"]?[text]?.stringValue?.isEmpty == false) }
    #expect(!host.hasReply(to: id))
    host.answer(question, ["result": ["action": "OK"]])
    #expect(try host.reply(to: id)["result"] == .null)
    #expect(try TestHost().call("certificatePinningManager.showErrorMessage") == .null)
  }
}

extension [[UInt8]] {
  fileprivate var jsonBase64: JSONValue { .array(map { .string(Base64Bytes($0).text) }) }
}
