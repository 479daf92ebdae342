import JSON
import Model

package enum CopyContent: Method {
  package static let name = "enforcement.copy"
  package static let summary = "What gets onto the clipboard when this account's content is copied?"
  package static let details = """
    Exactly one of text and data is given. What only managed apps may have is protected for the account, as \
    dataProtectionManager.protectString and protect do, and only enforcement.paste of a managed app takes it apart. \
    The level blocked blocks between apps: the content is protected for this app alone, and only its own \
    enforcement.paste takes it apart. A text that is no longer than the policy's exception gets there as it is, whatever the level; a character is a UTF-16 \
    unit, and bytes are never excepted.
    """
  package struct Params: Targeted {
    package var text: String?
    package var data: Base64Bytes?
    package var account: AccountReference?
    package var window: String?
    package var target: PolicyTarget { .shown(account, window) }

    package init(
      text: String? = nil, data: Base64Bytes? = nil, account: AccountReference? = nil, window: String? = nil
    ) {
      self.text = text
      self.data = data
      self.account = account
      self.window = window
    }

    package static let fields = Fields(
      Self.init(text:data:account:window:), Field("text", \.text, "What is copied, as text."),
      Field("data", \.data, "What is copied, as bytes."), Field("account", \.account, PolicyTarget.shownSummary),
      Field("window", \.window, PolicyTarget.mainWindowSummary))
  }
  package struct Result: Record {
    package var clipboard: ClipboardForm
    package var text: String?
    package var data: Base64Bytes?
    package var refusal: Refusal?

    package init(
      clipboard: ClipboardForm, text: String? = nil, data: Base64Bytes? = nil, refusal: Refusal? = nil
    ) {
      self.clipboard = clipboard
      self.text = text
      self.data = data
      self.refusal = refusal
    }

    package static let fields = Fields(
      Self.init(clipboard:text:data:refusal:), Field("clipboard", \.clipboard, "As it is, protected, or not at all."),
      Field("text", \.text, "The text to put there; null for none."),
      Field("data", \.data, "The bytes to put there; null for none."),
      Field("refusal", \.refusal, "What to tell the user where nothing gets there; null where something does."))
  }
  package static let resultSummary = "What to put onto the clipboard."
  package static let errors: [APIError] =
    [.applicationNotManaged, .invalidArguments, .failedToEncryptData] + .keys + .policy
  package static let example = Example(
    Params(text: "hello", account: "alice@contoso.example"),
    Result(clipboard: .protected, text: Base64Bytes.exampleBuffer.text))
}

package enum PasteContent: Method {
  package static let name = "enforcement.paste"
  package static let summary = "May this account have what is on the clipboard, and what is it?"
  package static let details = """
    Exactly one of text and data is given, as it stands on the clipboard. What enforcement.copy has protected is its \
    owner's: the owner, when another managed account, must let it go, and what belongs to an account that is not managed \
    in this app, or was protected for another app alone, is not allowed. All else is nobody's, and comes in where the policy lets other apps' content in, or is a \
    text no longer than its exception.
    """
  package typealias Params = CopyContent.Params
  package struct Result: Record {
    package var allowed: Bool
    package var text: String?
    package var data: Base64Bytes?
    package var refusal: Refusal?

    package init(
      allowed: Bool, text: String? = nil, data: Base64Bytes? = nil, refusal: Refusal? = nil
    ) {
      self.allowed = allowed
      self.text = text
      self.data = data
      self.refusal = refusal
    }

    package static let fields = Fields(
      Self.init(allowed:text:data:refusal:), Field("allowed", \.allowed, "Whether it may be pasted."),
      Field("text", \.text, "The text in clear; null for none."),
      Field("data", \.data, "The bytes in clear; null for none."),
      Field("refusal", \.refusal, "What to tell the user where it is not allowed; null where it is."))
  }
  package static let resultSummary = "Whether it may be pasted, and the content."
  package static let errors: [APIError] =
    [.applicationNotManaged, .invalidArguments, .failedToDecryptData] + .keys + .policy
  package static let example = Example(
    Params(text: Base64Bytes.exampleBuffer.text, account: "alice@contoso.example"),
    Result(allowed: true, text: "hello"))
}
