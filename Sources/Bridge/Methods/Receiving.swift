import JSON
import MAM
import Model
import Policy

enum CanReceiveSharedItemProvider: WorkQuestion {
  static let name = "policy.canReceiveSharedItemProvider"
  static let summary = "May this account receive what another app hands over?"
  static let details = """
    Asked on the policy of the receiver. The content is its owner's: that of the protected bytes or file in it, \
    nobody's without one. Where data is received from managed apps only, its owner must be managed in this app. \
    Another managed account must let its data go, to a managed receiver or to every app.
    """
  struct Params: Targeted {
    var itemProvider: ItemProvider
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init, Field("itemProvider", \.itemProvider, "What is handed over."),
      PolicyTarget.group(account: "The receiver; without it the effective identity."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether it may be received."
  static let errors: [ErrorCode] = [.failedToDecryptData] + .reading + [.policyRequired]
  static let example = Example<Params, Result>(
    Params(itemProvider: .example, target: PolicyTarget(account: "alice@contoso.example")), true)
  static let sdkMembers = ["IntuneMAMPolicy -canReceiveSharedItemProvider:"]

  /// The owner of the content is stored on the disk.
  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> Decision<Bool> {
    try connection.core.receiving.canReceive(asked.params.itemProvider, for: asked.account)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "receiving the item")
  }
}

enum CanReceiveSharedFile: WorkQuestion {
  static let name = "policy.canReceiveSharedFile"
  static let summary = "May this account receive a file that another app hands over?"
  static let details = CanReceiveSharedItemProvider.details
  struct Params: Targeted {
    var path: AbsolutePath
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init,
      Field("path", \.path, "The file; one that is not there is nobody's."),
      PolicyTarget.group(account: "The receiver; without it the effective identity."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether it may be received."
  static let errors: [ErrorCode] = CanReceiveSharedItemProvider.errors
  static let example = Example<Params, Result>(
    Params(path: .example, target: PolicyTarget(account: "alice@contoso.example")), true)
  static let sdkMembers = ["IntuneMAMPolicy -canReceiveSharedFile:"]

  /// The owner of the file is stored on the disk.
  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> Decision<Bool> {
    try connection.core.receiving.canReceive(fileAt: asked.params.path, for: asked.account)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "receiving the file")
  }
}

enum ReceiveContent: WorkQuestion {
  static let name = "enforcement.receive"
  static let summary = "May a window have what another app hands over, and whose is it?"
  static let details = """
    Exactly one of url, paths and itemProvider is given. Protected files and bytes are their owner's, all else is the \
    sender's where that is managed, and nobody's otherwise. In a multi-identity app the window must show the owner of \
    managed data, and nobody for data that its account may not receive: policyDelegate.identitySwitchRequired asks for \
    it, with openURL for a url and documentImport for the others, and what is not \"success\" blocks. What is allowed \
    is what policyManager.getIdentityForCurrentActivity tells of the window; files without an owner get the managed \
    sender, or the user of a managed device whose policy protects data of unknown sources.
    """
  struct Params: Targeted {
    var from: ContentSender
    var url: AbsoluteURL?
    var paths: [AbsolutePath]?
    var itemProvider: ItemProvider?
    var window: String?
    var target: PolicyTarget { ShownTarget(window: window).target }
    static let fields = Fields(
      Self.init, Field("from", \.from, "Who hands it over."),
      Field("url", \.url, "An address that is to be opened."),
      Field("paths", \.paths, "Documents that are to be opened."),
      Field("itemProvider", \.itemProvider, "An item that is to be taken."),
      Field("window", \.window, "The host's name for the window; without it \"main\"."))
  }
  struct Result: Record {
    var allowed: Bool
    var account: Account
    var refusal: Refusal?
    static let fields = Fields(
      Self.init, Field("allowed", \.allowed, "Whether the window may use it."),
      Field("account", \.account, "Whose it is; both halves \"\" for nobody's."),
      Field("refusal", \.refusal, "What to tell the user where it is not allowed; null where it is."))
  }
  static let resultSummary = "Whether it may be used, and whose it is."
  static let errors: [ErrorCode] =
    [.invalidArguments, .failedToEncryptData, .failedToDecryptData, .tooManyIdentities] + .replacement + .keys
    + [.policyRequired]
  static let example = Example(
    Params(from: ContentSender(account: "alice@contoso.example", managed: true), paths: [.example]),
    Result(allowed: true, account: .example))

  static func answer(
    _ asked: Asked<Params>, on connection: BridgeConnection
  ) async throws(MAMError) -> Reasoned<Result> {
    let (params, core) = (asked.params, connection.core)
    let reception = try await core.receiving.reception(
      of: params.incoming(), window: params.window, of: connection.identities)
    return reception.map { Result($0, in: core.state) }
  }

  /// Decides by the same function as `answer`.
  static func act(_ asked: Asked<Params>, on connection: BridgeConnection) async throws(MAMError) -> Reasoned<Result> {
    let (params, core) = (asked.params, connection.core)
    let reception = try await core.receiving.receive(
      params.incoming(), window: params.window, of: connection.identities)
    return reception.map { Result($0, in: core.state) }
  }

  /// Not the queue of the window's identity: the host sets that before it answers what this asks.
  static func queue(_ params: Params) -> String? { "receive \(params.window ?? Identities.main)" }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.allowed.verdict(on: "receiving the content")
  }
}

/// The other app.
struct ContentSender: Record {
  var account: AccountReference?
  var managed: Bool
  static let fields = Fields(
    Self.init, Field("account", \.account, "The account that it acts for; null for nobody."),
    Field("managed", \.managed, "Whether that account is managed there."))
}

extension ReceiveContent.Params {
  fileprivate func incoming() throws(MAMError) -> IncomingContent {
    IncomingContent(try content(), from: from.account, isManaged: from.managed)
  }

  private func content() throws(MAMError) -> IncomingContent.Content {
    switch (url, paths, itemProvider) {
    case (let url?, nil, nil): .url(url)
    case (nil, let paths?, nil) where !paths.isEmpty: .files(paths)
    case (nil, nil, let item?): .item(item)
    default: throw MAMError(.invalidArguments, "exactly one of url, paths and itemProvider must be given")
    }
  }
}

extension ReceiveContent.Result {
  fileprivate init(_ reception: Reception, in state: CoreState) {
    self.init(allowed: reception.isAllowed, account: state.named(reception.owner), refusal: reception.refusal)
  }
}
