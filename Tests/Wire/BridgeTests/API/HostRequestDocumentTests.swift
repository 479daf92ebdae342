import JSON
import Testing

@testable import Bridge

@Suite struct HostRequestDocumentTests {
  @Test("The OpenRPC document lists every request to the host once, under x-delegates")
  func listed() {
    let listed = RequestCase.document["x-delegates"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
    #expect(listed == API.hostRequests.map { $0.name })
    #expect(Set(listed ?? []).count == API.hostRequests.count)
  }

  @Test("The OpenRPC document gives each request to the host its default outcome and its errors")
  func defaults() {
    for request in API.hostRequests {
      let described = RequestCase(method: request).description
      #expect(described["x-default"] == .string(request.defaultOutcome))
      #expect(request.defaultOutcome.hasSuffix("."))
      #expect(described["errors"]?.arrayValue == request.errors.map { .reference(to: "errors", $0.name) })
    }
  }

  @Test("initialize accepts exactly the names of the requests to the host as delegates")
  func names() {
    let schema = RequestCase(method: Initialize.self).params.first { $0.name == "delegates" }?.schema
    #expect(schema?["items"] == .reference(to: "schemas", "HostRequestName"))
    let names = RequestCase.components["HostRequestName"]?["enum"]
    #expect(names == .array(API.hostRequests.map { .string($0.name) }))
    #expect(HostRequestName("ui.showAlert") != nil)
    #expect(HostRequestName("ui.showalert") == nil)
  }
}
