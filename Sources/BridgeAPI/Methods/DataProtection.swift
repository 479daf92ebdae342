import JSON
import Model

package enum Protect: Method {
  package static let name = "dataProtectionManager.protect"
  package static let summary = "Protects bytes for an account, so that only its managed apps can read them."
  package static let details = "For an unmanaged account the bytes stay readable and carry the owner's name."
  package struct Params: Record {
    package var data: Base64Bytes?
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(data:account:), Field(required: "data", \.data, "What to protect."),
      Field(required: "account", \.account, "The owner; \"\" is no user."))
  }
  package typealias Result = Base64Bytes
  package static let resultSummary = "The protected bytes, in the format MAMB."
  package static let errors: [APIError] =
    [.applicationNotManaged, .invalidArguments, .failedToEncryptData, .emptyData] + .keys + .policy
  package static let example = Example<Params, Result>(
    Params(data: Base64Bytes(Array("hello".utf8)), account: "alice@contoso.example"), .exampleBuffer)
  package static let sdkMembers = [
    "IntuneMAMDataProtectionManager -protect:identity:", "IntuneMAMDataProtectionManager -protect:accountId:",
    "IntuneMAMDataProtectionManager -protect:identity:withError:",
    "IntuneMAMDataProtectionManager -protect:accountId:withError:",
  ]
}

package enum Unprotect: Method {
  package static let name = "dataProtectionManager.unprotect"
  package static let summary = "Gives back the bytes that protect was given."
  package static let details = "Bytes that were never protected come back unchanged."
  package struct Params: Record {
    package var data: Base64Bytes?
    package static let fields = Fields(
      Self.init(data:), Field(required: "data", \.data, "Protected bytes, or any others."))
  }
  package typealias Result = Base64Bytes
  package static let resultSummary = "The bytes in clear."
  package static let errors: [APIError] =
    [.applicationNotManaged, .invalidArguments, .failedToDecryptData, .emptyData] + .keys + .policy
  package static let example = Example<Params, Result>(
    Params(data: .exampleBuffer), Base64Bytes(Array("hello".utf8)))
  package static let sdkMembers = [
    "IntuneMAMDataProtectionManager -unprotect:", "IntuneMAMDataProtectionManager -unprotect:withError:",
  ]
}

package enum ProtectString: Method {
  package static let name = "dataProtectionManager.protectString"
  package static let summary = "Protects a text for an account, so that only its managed apps can read it."
  package static let details = "For an unmanaged account the text stays readable and carries the owner's name."
  package struct Params: Record {
    package var string: String?
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(string:account:), Field(required: "string", \.string, "What to protect."),
      Field(required: "account", \.account, "The owner; \"\" is no user."))
  }
  package typealias Result = String
  package static let resultSummary = "The protected text: base64 of the format MAMB."
  package static let errors: [APIError] = Protect.errors
  package static let example = Example(
    Params(string: "hello", account: "alice@contoso.example"), Base64Bytes.exampleBuffer.text)
  package static let sdkMembers = [
    "IntuneMAMDataProtectionManager -protectString:identity:",
    "IntuneMAMDataProtectionManager -protectString:accountId:",
    "IntuneMAMDataProtectionManager -protectString:identity:withError:",
    "IntuneMAMDataProtectionManager -protectString:accountId:withError:",
  ]
}

package enum UnprotectString: Method {
  package static let name = "dataProtectionManager.unprotectString"
  package static let summary = "Gives back the text that protectString was given."
  package static let details = "A text that was never protected comes back unchanged."
  package struct Params: Record {
    package var string: String?
    package static let fields = Fields(
      Self.init(string:), Field(required: "string", \.string, "A protected text, or any other."))
  }
  package typealias Result = String
  package static let resultSummary = "The text in clear."
  package static let errors: [APIError] = Unprotect.errors
  package static let example = Example(Params(string: Base64Bytes.exampleBuffer.text), "hello")
  package static let sdkMembers = [
    "IntuneMAMDataProtectionManager -unprotectString:",
    "IntuneMAMDataProtectionManager -unprotectString:withError:",
  ]
}

package enum ProtectionInfo: Method {
  package static let name = "dataProtectionManager.protectionInfo"
  package static let summary = "Whose protected bytes these are."
  package struct Params: Record {
    package var data: Base64Bytes?
    package static let fields = Fields(
      Self.init(data:), Field(required: "data", \.data, "Protected bytes, or any others."))
  }
  package typealias Result = Account?
  package static let resultSummary = "The owner; null for null and for bytes that were never protected."
  package static let errors: [APIError] = [.failedToDecryptData] + .policy
  package static let example = Example<Params, Result>(Params(data: .exampleBuffer), .example)
  package static let sdkMembers = [
    "IntuneMAMDataProtectionManager -protectionInfo:", "IntuneMAMDataProtectionInfo identity",
    "IntuneMAMDataProtectionInfo accountId",
  ]
}

package enum ProtectionInfoForString: Method {
  package static let name = "dataProtectionManager.protectionInfoForString"
  package static let summary = "Whose protected text this is."
  package struct Params: Record {
    package var string: String?
    package static let fields = Fields(
      Self.init(string:), Field(required: "string", \.string, "A protected text, or any other."))
  }
  package typealias Result = Account?
  package static let resultSummary = "The owner; null for null and for a text that was never protected."
  package static let errors: [APIError] = [.failedToDecryptData] + .policy
  package static let example = Example<Params, Result>(Params(string: Base64Bytes.exampleBuffer.text), .example)
  package static let sdkMembers = ["IntuneMAMDataProtectionManager -protectionInfoForString:"]
}

package enum ProtectionInfoForItemProvider: Method {
  package static let name = "dataProtectionManager.protectionInfoForItemProvider"
  package static let summary = "Whose protected data an item provider holds."
  package static let details = """
    The owner of the bytes in `data`, or of the file at `path` or a file:// `url`. Another url has no owner, nor has a \
    file that is not there.
    """
  package struct Params: Record {
    package var itemProvider: ItemProvider?
    package static let fields = Fields(
      Self.init(itemProvider:), Field(required: "itemProvider", \.itemProvider, "What is handed over."))
  }
  package typealias Result = Account?
  package static let resultSummary = "The owner; null for null and for what was never protected."
  package static let errors: [APIError] = ProtectionInfo.errors
  package static let example = Example<Params, Result>(Params(itemProvider: .example), .example)
  package static let sdkMembers = ["IntuneMAMDataProtectionManager -protectionInfoForItemProvider:"]
}

extension ItemProvider {
  static let example = ItemProvider(typeIdentifier: "public.plain-text", data: .exampleBuffer)
}

extension Base64Bytes {
  /// The magic of the format MAMB alone: a real buffer would differ at every run.
  static let exampleBuffer = Base64Bytes([0x89, 0x4D, 0x41, 0x4D, 0x42, 0x55, 0x46, 0x0D, 0x0A])
}
