import JSON
import Testing

@testable import Tenancy

@Suite struct TenantAnswerTests {
  @Test(
    "What cannot be read is named by its place in the answer",
    arguments: [
      (#"{"user": {"userPrincipalName": 5}}"#, "answer: user/userPrincipalName must be"),
      (#"{"user": {}}"#, "answer: user/userPrincipalName is missing"),
      (#"{"allowedAccounts": "all"}"#, "answer: allowedAccounts must be"),
      (#"{"unknownRestrictions": "Block"}"#, "answer: unknownRestrictions must be"),
      (#"{"operations": {}}"#, "operations: must be a list"),
    ])
  func place(answer: String, text: String) throws {
    let object = try #require(try JSONValue(parsing: answer).objectValue)
    let error = #expect(throws: TenantError.self) {
      try TenantSnapshot(answer: object, about: .entitled, delivers: false)
    }
    #expect(error?.description.hasPrefix(text) == true, "\(error?.description ?? "")")
  }
}
