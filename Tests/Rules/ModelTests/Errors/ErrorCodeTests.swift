import TestSupport
import Testing

@testable import Model

@Suite struct ErrorCodeTests {
  @Test("Every error code has a number of its own, but outOfMemory shares that of internalError")
  func numbers() {
    let errors = ErrorCode.allCases.filter { $0 != .outOfMemory }
    #expect(Set(errors.map(\.number)).count == errors.count)
    #expect(ErrorCode.outOfMemory.number == ErrorCode.internalError.number)
  }

  @Test(
    "An error that the SDK also has carries the SDK's domain and code; other errors carry neither",
    arguments: ErrorCode.allCases)
  func sdkErrors(_ error: ErrorCode) {
    let dataProtection = DataProtectionStatusCode(rawValue: error.name)
    let fileProtection = FileProtectionStatusCode.allCases.first { ErrorCode($0) == error }
    let pinning = CertificatePinningStatusCode(rawValue: error.name)
    #expect(error.sdkError?.code == dataProtection?.sdkValue ?? fileProtection?.sdkValue ?? pinning?.sdkValue)
    let domain =
      dataProtection != nil
      ? "DataProtection" : fileProtection != nil ? "FileProtection" : pinning != nil ? "CertificatePinning" : nil
    #expect(error.sdkError?.domain == domain.map { "IntuneMAM\($0)ErrorDomain" })
  }

  @Test("The meaning and the remedy of each error are one-line sentences", arguments: ErrorCode.allCases)
  func sentences(_ error: ErrorCode) {
    for text in [error.meaning, error.remedy] {
      #expect(text.hasSuffix("."), "\(text)")
      #expect(text.first?.isUppercase == true, "\(text)")
      #expect(!text.contains("\n"), "\(text)")
    }
  }

  @Test("docs/errors.md matches the table of error codes")
  func document() throws {
    #expect(
      try GeneratedDocument("errors.md").isCurrent(ErrorDocument.text),
      "MAMBRIDGE_WRITE_DOCS=1 swift test --filter ErrorCodeTests")
  }
}

/// docs/errors.md, written from the table of errors.
enum ErrorDocument {
  static var text: String { ([head] + ErrorCode.allCases.map(row)).joined(separator: "\n") + "\n" }

  private static let head = """
    # Errors

    This file is generated from the table in `Sources/Rules/Model/Errors/ErrorCode.swift`. A test fails if the file is out
    of date; `MAMBRIDGE_WRITE_DOCS=1 swift test --filter ErrorCodeTests` writes it again.

    The [reference](reference.md#errors) says which errors each method can end with. `data.hint` often says more than the
    table. `data.retryable` says whether to call again: an exceeded limit, or a file that fails because memory or space
    ran out, can also be worth another try.

    | error | meaning | what to do | call again |
    | --- | --- | --- | --- |
    """

  private static func row(_ error: ErrorCode) -> String {
    let title = "\(error.number) `\(error.name)`"
    return "| \(title) | \(error.meaning) | \(error.remedy) | \(error.isRetryable ? "yes" : "") |"
  }
}
