import FoundationEssentials
import JSON
import MAM
import Model
import Vault

/// A method that protects or opens bytes.
protocol BytesMethod: MemoryFirstMethod where Captured == Params {}

extension BytesMethod {
  static func capture(_ params: Params, on connection: BridgeConnection) -> Params { params }
}

enum Protect: BytesMethod {
  static let name = "dataProtectionManager.protect"
  static let summary = "Protect bytes for an account, so that only its managed apps can read them."
  static let details = "For an unmanaged account, the bytes are not encrypted and only carry the name of their owner."
  struct Params: Record {
    var data: Base64Bytes?
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "data", \.data, "The bytes to protect."),
      Field(required: "account", \.account, "The owner; \"\" means no user."))
  }
  typealias Result = Base64Bytes
  static let resultSummary = "The protected bytes, in MAMB format."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .invalidArguments, .failedToEncryptData, .emptyData] + .keys + [.policyRequired]
  static let example = Example<Params, Result>(
    Params(data: Base64Bytes(Array("hello".utf8)), account: "alice@contoso.example"), .exampleBuffer)
  static let sdkMembers = [
    "IntuneMAMDataProtectionManager -protect:identity:", "IntuneMAMDataProtectionManager -protect:accountId:",
    "IntuneMAMDataProtectionManager -protect:identity:withError:",
    "IntuneMAMDataProtectionManager -protect:accountId:withError:",
  ]

  static func answer(
    _ params: Params, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Base64Bytes> {
    try connection.core.protection.protect(params.data?.bytes, for: params.account, reach).map(Base64Bytes.init)
  }
}

enum Unprotect: BytesMethod {
  static let name = "dataProtectionManager.unprotect"
  static let summary = "Return the original bytes of protected bytes."
  static let details = "Bytes that were never protected are returned unchanged."
  struct Params: Record {
    var data: Base64Bytes?
    static let fields = Fields(
      Self.init, Field(required: "data", \.data, "Protected bytes, or any other bytes."))
  }
  typealias Result = Base64Bytes
  static let resultSummary = "The unprotected bytes."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .invalidArguments, .failedToDecryptData, .emptyData] + .keys + [.policyRequired]
  static let example = Example<Params, Result>(
    Params(data: .exampleBuffer), Base64Bytes(Array("hello".utf8)))
  static let sdkMembers = [
    "IntuneMAMDataProtectionManager -unprotect:", "IntuneMAMDataProtectionManager -unprotect:withError:",
  ]

  static func answer(
    _ params: Params, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Base64Bytes> {
    try connection.core.protection.unprotect(params.data?.bytes, reach).map(Base64Bytes.init)
  }
}

enum ProtectString: BytesMethod {
  static let name = "dataProtectionManager.protectString"
  static let summary = "Protect a string for an account, so that only its managed apps can read it."
  static let details = "For an unmanaged account, the string is not encrypted and only carries the name of its owner."
  struct Params: Record {
    var string: String?
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field(required: "string", \.string, "The string to protect."),
      Field(required: "account", \.account, "The owner; \"\" means no user."))
  }
  typealias Result = String
  static let resultSummary = "The protected string: the MAMB format in base64."
  static let errors: [ErrorCode] = Protect.errors
  static let example = Example(
    Params(string: "hello", account: "alice@contoso.example"), Base64Bytes.exampleBuffer.text)
  static let sdkMembers = [
    "IntuneMAMDataProtectionManager -protectString:identity:",
    "IntuneMAMDataProtectionManager -protectString:accountId:",
    "IntuneMAMDataProtectionManager -protectString:identity:withError:",
    "IntuneMAMDataProtectionManager -protectString:accountId:withError:",
  ]

  static func answer(
    _ params: Params, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<String> {
    try connection.core.protection.protect(params.string.map { Array($0.utf8) }, for: params.account, reach)
      .map(ProtectedText.text)
  }
}

enum UnprotectString: BytesMethod {
  static let name = "dataProtectionManager.unprotectString"
  static let summary = "Return the original string of a protected string."
  static let details = "A string that was never protected is returned unchanged."
  struct Params: Record {
    var string: String?
    static let fields = Fields(
      Self.init, Field(required: "string", \.string, "A protected string, or any other string."))
  }
  typealias Result = String
  static let resultSummary = "The unprotected string."
  static let errors: [ErrorCode] = Unprotect.errors
  static let example = Example(Params(string: Base64Bytes.exampleBuffer.text), "hello")
  static let sdkMembers = [
    "IntuneMAMDataProtectionManager -unprotectString:",
    "IntuneMAMDataProtectionManager -unprotectString:withError:",
  ]

  static func answer(
    _ params: Params, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<String> {
    let bytes = try connection.core.protection.unprotect(params.string.map(ProtectedText.bytes), reach)
    return try bytes.map { bytes throws(MAMError) in try ProtectedText.clear(bytes) }
  }
}

enum ProtectionInfo: WorkMethod {
  static let name = "dataProtectionManager.protectionInfo"
  static let summary = "Return the owner of protected bytes."
  struct Params: Record {
    var data: Base64Bytes?
    static let fields = Fields(
      Self.init, Field(required: "data", \.data, "Protected bytes, or any other bytes."))
  }
  typealias Result = Account?
  static let resultSummary = "The owner; null for null, and for bytes that were never protected."
  static let errors: [ErrorCode] = [.failedToDecryptData, .emptyData, .policyRequired]
  static let example = Example<Params, Result>(Params(data: .exampleBuffer), .example)
  static let sdkMembers = [
    "IntuneMAMDataProtectionManager -protectionInfo:", "IntuneMAMDataProtectionInfo identity",
    "IntuneMAMDataProtectionInfo accountId",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Account? {
    try connection.core.protection.protectionInfo(params.data?.bytes)
  }
}

enum ProtectionInfoForString: WorkMethod {
  static let name = "dataProtectionManager.protectionInfoForString"
  static let summary = "Return the owner of a protected string."
  struct Params: Record {
    var string: String?
    static let fields = Fields(
      Self.init, Field(required: "string", \.string, "A protected string, or any other string."))
  }
  typealias Result = Account?
  static let resultSummary = "The owner; null for null, and for a string that was never protected."
  static let errors: [ErrorCode] = [.failedToDecryptData, .emptyData, .policyRequired]
  static let example = Example<Params, Result>(Params(string: Base64Bytes.exampleBuffer.text), .example)
  static let sdkMembers = ["IntuneMAMDataProtectionManager -protectionInfoForString:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Account? {
    try connection.core.protection.protectionInfo(params.string.map(ProtectedText.bytes))
  }
}

enum ProtectionInfoForItemProvider: WorkMethod {
  static let name = "dataProtectionManager.protectionInfoForItemProvider"
  static let summary = "Return the owner of the data that an item provider holds."
  static let details = """
    This is the owner of the bytes in `data`, or of the file at `path` or at a file:// `url`. Any other URL has no \
    owner, nor has a missing file.
    """
  struct Params: Record {
    var itemProvider: ItemProvider?
    static let fields = Fields(
      Self.init, Field(required: "itemProvider", \.itemProvider, "The item that one app hands to another."))
  }
  typealias Result = Account?
  static let resultSummary = "The owner; null for null, and for data that was never protected."
  static let errors: [ErrorCode] = ProtectionInfo.errors + .reading
  static let example = Example<Params, Result>(Params(itemProvider: .example), .example)
  static let sdkMembers = ["IntuneMAMDataProtectionManager -protectionInfoForItemProvider:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Account? {
    try connection.core.protection.protectionInfo(params.itemProvider)
  }
}

/// Texts are protected as bytes: the protected text is base64 of the buffer.
enum ProtectedText {
  static func text(_ buffer: [UInt8]) -> String { Data(buffer).base64EncodedString() }

  /// The magic of a buffer in base64: nine bytes, so that it is the same before any others.
  private static let magic = Array("iU1BTUJVRg0K".utf8)

  /// The buffer; or the text's own bytes, which never look like a buffer, if the text is not base64 of one. Line breaks
  /// in base64 are ignored.
  static func bytes(_ text: String) -> [UInt8] {
    let base64 = text.utf8.lazy.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard base64.starts(with: magic) else { return Array(text.utf8) }
    return buffer(text) ?? buffer(String(decoding: Array(base64), as: UTF8.self)) ?? Array(text.utf8)
  }

  private static func buffer(_ base64: String) -> [UInt8]? {
    // The decoder accepts more padding than is needed.
    guard let bytes = Data(base64Encoded: base64), base64.utf8.count == (bytes.count + 2) / 3 * 4 else { return nil }
    return Array(bytes)
  }

  /// Throws 1103 when the bytes in clear hold no text.
  static func clear(_ bytes: [UInt8]) throws(MAMError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw MAMError(
        .failedToDecryptData, "the protected data is no text", hint: "Decode the base64 and unprotect it as data")
    }
    return text
  }
}
