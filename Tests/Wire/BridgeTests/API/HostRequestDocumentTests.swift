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
      #expect(described["errors"]?.arrayValue == request.errors.map { .reference(to: "errors", $0.name) })
    }
  }

  @Test("initialize takes these names and no others")
  func names() {
    let schema = RequestCase(method: Initialize.self).params.first { $0.name == "delegates" }?.schema
    #expect(schema?["items"] == .reference(to: "schemas", "HostRequestName"))
    let names = RequestCase.components["HostRequestName"]?["enum"]
    #expect(names == .array(API.hostRequests.map { .string($0.name) }))
    #expect(HostRequestName("ui.showAlert") != nil)
    #expect(HostRequestName("ui.showalert") == nil)
  }
}
