import Glibc
import JSON
import TestCertificates
import TestSupport
import Testing

@Suite(.ownThreads) struct PinningTests {
  private static let host = "mail.contoso.example"
  private let program = Program()
  private let chain: TestChain
  private let trusted: String

  /// A tenant that pins the key of the chain's middle.
  init() throws {
    chain = try TestChain(around: Int64(time(nil)))
    trusted = program.folder.write(chain.trustedText, to: "trusted/\(chain.trustedFileName)")
    let pin = Base64Bytes(try chain.middle.pin()).text
    program.folder.write(
      """
      {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "users": [{"userPrincipalName": "alice@contoso.example"}],
       "certificatePins": {"\(Self.host)": ["\(pin)"]}}
      """, to: "tenant/tenant.json")
    program.folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "pinRequired": true}"##,
      to: "tenant/policies/ios.json")
  }

  /// The replies to the requests, in their order.
  private func ask(_ requests: [String], _ environment: [String: String]) throws -> [JSONValue] {
    let enrollment = request("enrollmentManager.registerAndEnrollAccount", ["account": "alice@contoso.example"])
    let outcome = try Subprocess.run(
      Program.path, ["--state", program.state, "--tenant", program.folder.file("tenant")],
      input: ([enrollment] + requests).joined(separator: "\n") + "\n", environment: environment)
    return Array(outcome.replies.dropFirst())
  }

  private func validation(_ certificates: [[UInt8]], host: String = host) -> String {
    let certificates = certificates.map { JSONValue.string(Base64Bytes($0).text) }
    return request(
      "certificatePinningManager.validateChainWithCertificates",
      ["certificates": .array(certificates), "hostname": .string(host)])
  }

  @Test("Certificate validation trusts the authorities in SSL_CERT_FILE and SSL_CERT_DIR")
  func authorities() throws {
    let (none, folder) = (program.folder.file("none"), program.folder.file("trusted"))
    for environment in [["SSL_CERT_FILE": trusted], ["SSL_CERT_FILE": none, "SSL_CERT_DIR": folder]] {
      #expect(try ask([validation(chain.presented)], environment).map { $0["result"] } == [true])
    }
    let error = try ask([validation(chain.presented)], ["SSL_CERT_FILE": none, "SSL_CERT_DIR": none]).first?["error"]
    #expect(error?["code"] == 2103)
    #expect(error?["data"]?["name"] == "failedTrustEvaluation")
  }

  @Test("certificatePinningManager returns each of the error codes from 2100 to 2107")
  func codes() throws {
    let other = try TestChain(around: Int64(time(nil)), organization: "Other")
    program.folder.write(chain.trustedText + other.trustedText, to: "both.pem")
    let unknown = chain.leaf.replacing(
      AlgorithmIdentifier.ecdsaWithSHA256, with: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 9])
    let requests = [
      request("certificatePinningManager.validateChainWithChallenge", ["challenge": nil]),
      validation([]), validation(chain.presented, host: ""), validation([chain.leaf.der]),
      validation([chain.leaf.tampered, chain.middle.der]), validation([[1, 2, 3]]),
      validation([unknown, chain.middle.der]), validation(other.presented),
    ]
    let errors = try ask(requests, ["SSL_CERT_FILE": program.folder.file("both.pem")]).map { $0["error"] }
    #expect(errors.map { $0?["code"] } == (2100...2107).map { JSONValue.integer($0) })
    #expect(errors.allSatisfy { $0?["data"]?["domain"] == "IntuneMAMCertificatePinningErrorDomain" })
    #expect(errors.allSatisfy { $0?["data"]?["hint"] != nil })
  }
}
