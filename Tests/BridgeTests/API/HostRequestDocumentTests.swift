import JSON
import Testing

@testable import Bridge

@Suite struct HostRequestDocumentTests {
  @Test("the document lists every request to a host once, under x-delegates")
  func listed() {
    let listed = RequestCase.document["x-delegates"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
    #expect(listed == API.hostRequests.map { $0.name })
    #expect(Set(listed ?? []).count == API.hostRequests.count)
  }

  @Test("it says what happens without an answer, and by which errors a host may refuse")
  func defaults() {
    for request in API.hostRequests {
      let described = RequestCase(method: request).description
      #expect(described["x-default"] == .string(request.defaultOutcome))
      #expect(request.defaultOutcome.hasSuffix("."))
      let codes = described["errors"]?.arrayValue?.compactMap { $0["code"]?.integerValue }
      #expect(codes == request.errors.map { Int64($0.number) })
    }
  }

  @Test("initialize takes these names and no others")
  func names() {
    let schema = RequestCase(method: Initialize.self).params.first { $0.name == "delegates" }?.schema
    #expect(schema?["items"]?["enum"] == .array(API.hostRequests.map { .string($0.name) }))
    #expect(HostRequestName("ui.showAlert") != nil && HostRequestName("ui.showalert") == nil)
  }
}
