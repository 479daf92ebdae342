import TestSupport
import Testing

@Suite struct PolicySettingsDocumentTests {
  @Test("docs/policy-settings.md matches the setting definitions")
  func document() throws {
    #expect(
      try GeneratedDocument("policy-settings.md").isCurrent(PolicySettingsDocument.text),
      "MAMBRIDGE_WRITE_DOCS=1 swift test --filter PolicySettingsDocumentTests")
  }
}
