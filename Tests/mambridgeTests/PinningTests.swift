import Glibc
import JSON
import TestCertificates
import TestSupport
import Testing

@Suite(.ownThreads) struct PinningTests {
  private static let user: JSONValue = "alice@contoso.example"
  private let program = Program()

  private func validate(_ chain: TestChain, environment: [String: String]) throws -> JSONValue {
    let certificates = chain.presented.map { JSONValue.string(Base64Bytes($0).text) }
    let input = [
      request("enrollmentManager.registerAndEnrollAccount", ["account": Self.user]),
      request(
        "certificatePinningManager.validateChainWithCertificates",
        ["certificates": .array(certificates), "hostname": "mail.contoso.example"]),
    ]
    let outcome = try Subprocess.run(
      Program.path, ["--state", program.state, "--tenant", program.folder.file("tenant")],
      input: input.joined(separator: "\n") + "\n", environment: environment)
    return try #require(outcome.replies.last)
  }

  @Test("the trusted authorities are those that SSL_CERT_FILE names, at the time of the system's clock")
  func authorities() throws {
    let chain = try TestChain(around: Int64(time(nil)))
    let pin = Base64Bytes(try chain.middle.pin()).text
    program.folder.write(
      """
      {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "users": [{"userPrincipalName": "alice@contoso.example"}],
       "certificatePins": {"mail.contoso.example": ["\(pin)"]}}
      """, to: "tenant/tenant.json")
    program.folder.write(#"{"id": "T_1", "pinRequired": true}"#, to: "tenant/policies/ios.json")
    let trusted = program.folder.write(chain.trustedText, to: "trusted.pem")
    #expect(try validate(chain, environment: ["SSL_CERT_FILE": trusted])["result"] == true)
    let none = program.folder.file("none")
    let error = try validate(chain, environment: ["SSL_CERT_FILE": none, "SSL_CERT_DIR": none])["error"]
    #expect(error?["code"] == 2103 && error?["data"]?["name"] == "failedTrustEvaluation")
  }
}
