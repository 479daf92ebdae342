import JSON
import Model

extension Account {
  /// The account in the schema's examples.
  static let example = Account(
    accountId: "11111111-1111-4111-8111-111111111111", identity: "alice@contoso.example")
}

extension EnrollmentStatus {
  static let exampleEnrolled = EnrollmentStatus(
    accountId: Account.example.accountId, identity: Account.example.identity, statusCode: .newPoliciesReceived)
}

extension AbsoluteURL {
  static let exampleNumber = literal("tel:+4930123456")
  static let exampleLink = literal("https://teams.microsoft.com/l/meetup")

  private static func literal(_ text: StaticString) -> AbsoluteURL { AbsoluteURL("\(text)") ?? .blank }
}

extension AbsolutePath {
  static let example = literal("/home/alice/report.docx")
  static let exampleFolder = literal("/home/alice/documents")
  static let exampleCopy = literal("/home/alice/plain.docx")

  private static func literal(_ text: StaticString) -> AbsolutePath { AbsolutePath("\(text)") ?? .root }
}

extension ItemProvider {
  static let example = ItemProvider(typeIdentifier: "public.plain-text", data: .exampleBuffer)
}

extension Base64Bytes {
  /// Only the first bytes of the MAMB format: a real buffer would differ on every run.
  static let exampleBuffer = Base64Bytes([0x89, 0x4D, 0x41, 0x4D, 0x42, 0x55, 0x46, 0x0D, 0x0A])
}

extension FileProtectionInfo {
  static let example = FileProtectionInfo(
    accountId: Account.example.accountId, identity: Account.example.identity, isEncrypted: true, recordedIn: .header)
}
