import JSON
import MAM
import Model
import Policy

enum CopyContent: WorkQuestion {
  static let name = "enforcement.copy"
  static let summary = "What gets onto the clipboard when this account's content is copied?"
  static let details = """
    Exactly one of text and data is given. What only managed apps may have is protected for the account, as \
    dataProtectionManager.protectString and protect do, and only enforcement.paste of a managed app takes it apart. \
    The level blocked blocks between apps: the content is protected for this app alone, and only its own \
    enforcement.paste takes it apart. A text that is no longer than the policy's exception gets there as it is, \
    whatever the level; a character is a UTF-16 unit, and bytes are never excepted.
    """
  struct Params: Showing {
    var text: String?
    var data: Base64Bytes?
    var shown = ShownTarget()
    static let fields = Fields(
      Self.init, Field("text", \.text, "What is copied, as text."),
      Field("data", \.data, "What is copied, as bytes."), ShownTarget.group())
  }
  struct Result: Record {
    var clipboard: ClipboardForm
    var text: String?
    var data: Base64Bytes?
    var refusal: Refusal?
    static let fields = Fields(
      Self.init, Field("clipboard", \.clipboard, "As it is, protected, or not at all."),
      Field("text", \.text, "The text to put there; null for none."),
      Field("data", \.data, "The bytes to put there; null for none."),
      Field("refusal", \.refusal, "What to tell the user where nothing gets there; null where something does."))
  }
  static let resultSummary = "What to put onto the clipboard."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .invalidArguments, .failedToEncryptData] + .keys + [.policyRequired]
  static let example = Example(
    Params(text: "hello", shown: ShownTarget(account: "alice@contoso.example")),
    Result(clipboard: .protected, text: Base64Bytes.exampleBuffer.text))

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> Decision<Result> {
    let params = asked.params
    return try connection.core.clipboard.copy(params.content { Array($0.utf8) }, for: asked.account)
      .map { copy in
        let text = copy.form == .plain ? params.text : params.text.flatMap { _ in copy.bytes.map(ProtectedText.text) }
        let data = params.data.flatMap { _ in copy.bytes.map(Base64Bytes.init) }
        return Result(clipboard: copy.form, text: text, data: data, refusal: copy.refusal)
      }
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    switch answer.clipboard {
    case .plain: "copying is allowed"
    case .protected: "copying is allowed, but the content is protected"
    case .blocked: "copying is blocked"
    }
  }
}

enum PasteContent: WorkQuestion {
  static let name = "enforcement.paste"
  static let summary = "May this account have what is on the clipboard, and what is it?"
  static let details = """
    Exactly one of text and data is given, as it stands on the clipboard. What enforcement.copy has protected is its \
    owner's: the owner, when another managed account, must let it go, and what belongs to an account that is not \
    managed in this app, or was protected for another app alone, is not allowed. All else is nobody's, and comes in \
    where the policy lets other apps' content in, or is a text no longer than its exception.
    """
  typealias Params = CopyContent.Params
  struct Result: Record {
    var allowed: Bool
    var text: String?
    var data: Base64Bytes?
    var refusal: Refusal?
    static let fields = Fields(
      Self.init, Field("allowed", \.allowed, "Whether it may be pasted."),
      Field("text", \.text, "The text in clear; null for none."),
      Field("data", \.data, "The bytes in clear; null for none."),
      Field("refusal", \.refusal, "What to tell the user where it is not allowed; null where it is."))
  }
  static let resultSummary = "Whether it may be pasted, and the content."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .invalidArguments, .failedToDecryptData] + .keys + [.policyRequired]
  static let example = Example(
    Params(text: Base64Bytes.exampleBuffer.text, shown: ShownTarget(account: "alice@contoso.example")),
    Result(allowed: true, text: "hello"))

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> Decision<Result> {
    let params = asked.params
    let decision = try connection.core.clipboard.paste(params.content(ProtectedText.bytes), for: asked.account)
    let bytes = decision.value.bytes
    let text = params.text == nil ? nil : try bytes.map(ProtectedText.clear)
    let data = params.data.flatMap { _ in bytes.map(Base64Bytes.init) }
    return decision.map { Result(allowed: bytes != nil, text: text, data: data, refusal: $0.refusal) }
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.allowed.verdict(on: "pasting")
  }
}

extension CopyContent.Params {
  fileprivate func content(_ bytes: (String) -> [UInt8]) throws(MAMError) -> ClipboardContent {
    switch (text, data) {
    case (let text?, nil): .text(text, bytes: bytes(text))
    case (nil, let data?): .data(data.bytes)
    default: throw MAMError(.invalidArguments, "exactly one of text and data must be given")
    }
  }
}
