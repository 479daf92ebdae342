import TestSupport
import Testing

@testable import Model

@Suite struct ErrorCodeTests {
  @Test("every error has a number of its own, but that outOfMemory is an internalError")
  func numbers() {
    let errors = ErrorCode.allCases.filter { $0 != .outOfMemory }
    #expect(Set(errors.map(\.number)).count == errors.count)
    #expect(ErrorCode.outOfMemory.number == ErrorCode.internalError.number)
  }

  @Test("an error of the SDK has its domain and its code", arguments: ErrorCode.allCases)
  func sdkErrors(_ error: ErrorCode) {
    let dataProtection = DataProtectionStatusCode(rawValue: error.name)
    let pinning = CertificatePinningStatusCode(rawValue: error.name)
    #expect(error.sdkError?.code == dataProtection?.sdkValue ?? pinning?.sdkValue)
    let domain = dataProtection != nil ? "DataProtection" : pinning != nil ? "CertificatePinning" : nil
    #expect(error.sdkError?.domain == domain.map { "IntuneMAM\($0)ErrorDomain" })
  }

  @Test("meaning and remedy are sentences", arguments: ErrorCode.allCases)
  func sentences(_ error: ErrorCode) {
    for text in [error.meaning, error.remedy] {
      #expect(text.hasSuffix(".") && text.first?.isUppercase == true && !text.contains("\n"), "\(text)")
    }
  }

  @Test("docs/errors.md says what the table says")
  func document() throws {
    #expect(
      try GeneratedDocument("errors.md").isCurrent(ErrorDocument.text),
      "MAMBRIDGE_WRITE_DOCS=1 swift test --filter ErrorCodeTests")
  }
}

/// docs/errors.md, as the table of errors has it.
enum ErrorDocument {
  static var text: String { ([head] + ErrorCode.allCases.map(row)).joined(separator: "\n") + "\n" }

  private static let head = """
    # Errors

    Written from the table in `Sources/Model/Errors/ErrorCode.swift` by a test, which fails when this file differs; with
    `MAMBRIDGE_WRITE_DOCS=1 swift test --filter ErrorCodeTests` it is written anew.

    The [reference](reference.md#errors) says which method ends with which error. `data.hint` often says more than the
    table, and `data.retryable` decides whether to call again: a limit, or a file that fails for want of memory or
    space, can be worth another try too.

    | error | meaning | what to do | call again |
    | --- | --- | --- | --- |
    """

  private static func row(_ error: ErrorCode) -> String {
    let title = "\(error.number) `\(error.name)`"
    return "| \(title) | \(error.meaning) | \(error.remedy) | \(error.isRetryable ? "yes" : "") |"
  }
}
