import JSON
import MAM
import Model
import Policy
import Vault

enum CopyContent: ContentQuestion {
  static let name = "enforcement.copy"
  static let summary = "Decide what goes on the clipboard when the user copies an account's content."
  static let details = """
    Give exactly one of text and data. Content that only managed apps may have is protected for the account, as by \
    dataProtectionManager.protectString and protect, and only enforcement.paste in a managed app can open it. At the \
    level blocked, content must not leave the app: it is protected for this app alone, and only this app's \
    enforcement.paste can open it. Text that is no longer than the policy's exception goes on the clipboard as it is, \
    whatever the level. Its length is counted in UTF-16 units; the exception does not apply to bytes.
    """
  struct Params: ViewTargeted {
    var text: String?
    var data: Base64Bytes?
    var shown = ShownTarget()
    var accounts: [AccountReference]?
    static let fields = Fields(
      Self.init, Field("text", \.text, "The text that the user copies."),
      Field("data", \.data, "The bytes that the user copies."), ShownTarget.group(), accountsField)
  }
  struct Result: Record {
    var clipboard: ClipboardForm
    var text: String?
    var data: Base64Bytes?
    var refusal: Refusal?
    static let schemaName = "CopiedContent"
    static let fields = Fields(
      Self.init,
      Field("clipboard", \.clipboard, "Whether the content goes on the clipboard as it is, protected, or not at all."),
      Field("text", \.text, "The text to put on the clipboard; null if there is none."),
      Field("data", \.data, "The bytes to put on the clipboard; null if there are none."),
      Field("refusal", \.refusal, "What to tell the user if nothing goes on the clipboard; otherwise null."))
  }
  static let resultSummary = "What to put on the clipboard."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .invalidArguments, .failedToEncryptData] + .keys + [.policyRequired]
  static let example = Example(
    Params(text: "hello", shown: ShownTarget(account: "alice@contoso.example")),
    Result(clipboard: .protected, text: Base64Bytes.exampleBuffer.text))

  static func decide(
    _ asked: Addressed<Params>, in rooms: any Rooms, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Decision<Result>> {
    let params = asked.params
    let copied = try rooms.clipboard.copy(
      params.content { Array($0.utf8) }, for: asked.account, sharing: asked.view, in: connection.language, reach)
    return copied.map { decision in decision.map { Result($0, of: params) } }
  }

  static func essence(_ answer: Result) -> JSONValue? { answer.clipboard.jsonValue }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    switch answer.clipboard {
    case .plain: "copying is allowed"
    case .protected: "copying is allowed, but the content is protected"
    case .blocked: "copying is blocked"
    }
  }
}

enum PasteContent: ContentQuestion {
  static let name = "enforcement.paste"
  static let summary = "Decide whether an account may paste what is on the clipboard, and return the content."
  static let details = """
    Give exactly one of text and data, as it is on the clipboard. Content that enforcement.copy protected belongs to \
    its owner. If the owner is another managed account, its policy must allow the transfer. Content is refused if its \
    owner is not managed in this app, or if it was protected for another app alone. All other content belongs to \
    nobody: it may be pasted if the policy admits content from other apps, or if it is text no longer than the \
    policy's exception.
    """
  typealias Params = CopyContent.Params
  struct Result: Record {
    var allowed: Bool
    var text: String?
    var data: Base64Bytes?
    var refusal: Refusal?
    static let schemaName = "PastedContent"
    static let fields = Fields(
      Self.init, Field("allowed", \.allowed, "Whether the content may be pasted."),
      Field("text", \.text, "The unprotected text; null if there is none."),
      Field("data", \.data, "The unprotected bytes; null if there are none."),
      Field("refusal", \.refusal, "What to tell the user if pasting is not allowed; otherwise null."))
  }
  static let resultSummary = "Whether the content may be pasted, and the content."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .invalidArguments, .failedToDecryptData] + .keys + [.policyRequired]
  static let example = Example(
    Params(text: Base64Bytes.exampleBuffer.text, shown: ShownTarget(account: "alice@contoso.example")),
    Result(allowed: true, text: "hello"))

  static func decide(
    _ asked: Addressed<Params>, in rooms: any Rooms, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Decision<Result>> {
    let params = asked.params
    let pasted = try rooms.clipboard.paste(
      params.content(ProtectedText.bytes), for: asked.account, sharing: asked.view, in: connection.language, reach)
    guard case .now(let decision) = pasted else { return .needsDisk }
    let bytes = decision.value.bytes
    let text = params.text == nil ? nil : try bytes.map(ProtectedText.clear)
    let data = params.data.flatMap { _ in bytes.map(Base64Bytes.init) }
    return .now(decision.map { Result(allowed: bytes != nil, text: text, data: data, refusal: $0.refusal) })
  }

  static func essence(_ answer: Result) -> JSONValue? { .bool(answer.allowed) }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.allowed.verdict(on: "pasting")
  }
}

extension CopyContent.Result {
  fileprivate init(_ copy: Copy, of params: CopyContent.Params) {
    let text = copy.form == .plain ? params.text : params.text.flatMap { _ in copy.bytes.map(ProtectedText.text) }
    let data = params.data.flatMap { _ in copy.bytes.map(Base64Bytes.init) }
    self.init(clipboard: copy.form, text: text, data: data, refusal: copy.refusal)
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
