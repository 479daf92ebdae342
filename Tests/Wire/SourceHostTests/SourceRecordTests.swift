import Cryptography
import JSON
import SourceProtocol
import Support
import Testing

@testable import MAM
@testable import Model
@testable import SourceHost

/// The messages to a source as they are on the wire.
@Suite struct SourceRecordTests {
  private func registration() throws -> SourceRegistration {
    let bytes: [UInt8] = [1, 2, 3, 4, 5]
    return SourceRegistration(id: "r", secret: try bytes.withUnsafeBytes { try SecretBytes(copying: $0) })
  }

  private func request() throws -> SourceRequest {
    SourceRequest(
      reason: .checkIn, registration: try registration(),
      account: Account(accountId: "87d3", identity: nil), appId: "com.example.host",
      machine: SourceDevice(tag: "t", name: "host"), device: Device())
  }

  private static let sent = #"""
    {"reason":"checkIn","registration":{"id":"r","secret":"AQIDBAU="},"account":{"accountId":"87d3","identity":null},\#
    "app":{"id":"com.example.host","version":null,"sdkVersion":"21.7.1"},"device":{"tag":"t","name":"host",\#
    "platform":"ios","osVersion":null,"manufacturer":null,"model":null,"jailbroken":false},"etag":null,"applied":[],\#
    "health":[]
    """#

  @Test("source.checkIn has all its members except token and managementType, which may be missing")
  func checkIn() throws {
    var request = try request()
    let params = try #require(ToSource.CheckIn.Params(request))
    #expect(params.jsonText == Self.sent + "}")
    (request.token, request.etag) = (HostSecret("to.ken"), "e")
    request.applied = [PolicyVersion(id: "T_1", version: "1"), PolicyVersion(id: "T_2", version: nil)]
    request.device.managementType = .managed
    let more = try #require(ToSource.CheckIn.Params(request)).jsonText
    #expect(
      more.contains(
        #""jailbroken":false,"managementType":"managed"},"etag":"e","applied":[{"id":"T_1","version":"1"},"#))
    #expect(more.hasSuffix(#"{"id":"T_2","version":null}],"health":[],"token":"to.ken"}"#))
  }

  @Test("A check-in with a malformed token is not sent")
  func badToken() throws {
    var request = try request()
    request.token = HostSecret("a\nb")
    let params = ToSource.CheckIn.Params(request)
    #expect(params == nil)
  }

  @Test("Params of source messages are the same after encoding and decoding")
  func roundTrip() throws {
    let params = try #require(ToSource.CheckIn.Params(request()))
    let read = try ToSource.CheckIn.Params.decode(JSONDocument(parsing: params.jsonText).root)
    #expect(read.jsonText == params.jsonText)
    #expect(read.registration == params.registration)
    let change = ToBridge.DidChange.Params(account: nil, spread: 0)
    #expect(change.jsonText == #"{"spread":0.0}"#)
    let token = try #require(TokenText("a\"b"))
    let acquired = try AcquiredToken.decode(
      JSONDocument(parsing: AcquiredToken(accessToken: token, expires: nil).jsonText).root)
    #expect(acquired.accessToken == token)
    #expect(acquired.expires == nil)
  }

  @Test("A secret that is not base64 is refused by an error with its path but not its text")
  func secret() throws {
    let text = #"{"registration":{"id":"r","secret":"hunter2!"}}"#
    let error = #expect(throws: JSONDecodingError.self) {
      try ToSource.Leave.Params.decode(JSONDocument(parsing: text).root)
    }
    #expect(error?.path == "/registration/secret")
    #expect(error?.message.contains("hunter2") == false)
  }

  @Test("source.report has the outcome of an operation, and source.leave has only the registration")
  func report() throws {
    let registration = try registration()
    var report = SourceReport(registration: registration, operation: "o", time: Timestamp(milliseconds: 0))
    let done = ToSource.Report.Params(report, of: "o").jsonText
    #expect(done.hasSuffix(#""operation":"o","outcome":"done","time":"1970-01-01T00:00:00.000Z"}"#))
    report.failure = "why"
    let failed = ToSource.Report.Params(report, of: "o").jsonText
    #expect(failed.hasSuffix(#""outcome":"failed","time":"1970-01-01T00:00:00.000Z","reason":"why"}"#))
    #expect(ToSource.Leave.Params(registration: registration).jsonText.hasPrefix(#"{"registration":{"id":"r","#))
  }
}
