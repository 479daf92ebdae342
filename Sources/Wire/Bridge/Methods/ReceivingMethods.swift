import JSON
import MAM
import Model
import Policy

enum CanReceiveSharedItemProvider: WorkQuestion {
  static let name = "policy.canReceiveSharedItemProvider"
  static let summary = "Report whether an account may receive an item that another app hands over."
  static let details = """
    The policy of the receiver decides. The content belongs to the owner of the protected bytes or file in it, or else \
    to nobody. If data is received from managed apps only, the owner must be managed in this app. An owner that is \
    another managed account must allow sending its data to a managed receiver, or to any app.
    """
  struct Params: Targeted {
    var itemProvider: ItemProvider
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init, Field("itemProvider", \.itemProvider, "The item that the other app hands over."),
      PolicyTarget.group(account: "The receiver; defaults to the effective identity."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether the item may be received."
  static let errors: [ErrorCode] = [.failedToDecryptData] + .reading + [.policyRequired]
  static let example = Example<Params, Result>(
    Params(itemProvider: .example, target: PolicyTarget(account: "alice@contoso.example")), true)
  static let sdkMembers = ["IntuneMAMPolicy -canReceiveSharedItemProvider:"]

  /// Not answered from memory, because the owner of the content is stored on disk.
  static func decide(
    _ asked: Addressed<Params>, in rooms: any Rooms, on connection: BridgeConnection
  ) throws(MAMError) -> Decision<Bool> {
    try rooms.receiving.canReceive(asked.params.itemProvider, for: asked.account, sharing: asked.view)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "receiving the item")
  }
}

enum CanReceiveSharedFile: WorkQuestion {
  static let name = "policy.canReceiveSharedFile"
  static let summary = "Report whether an account may receive a file that another app hands over."
  static let details = CanReceiveSharedItemProvider.details
  struct Params: Targeted {
    var path: AbsolutePath
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init,
      Field("path", \.path, "The absolute path of the file. A missing file belongs to nobody."),
      PolicyTarget.group(account: "The receiver; defaults to the effective identity."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether the file may be received."
  static let errors: [ErrorCode] = CanReceiveSharedItemProvider.errors
  static let example = Example<Params, Result>(
    Params(path: .example, target: PolicyTarget(account: "alice@contoso.example")), true)
  static let sdkMembers = ["IntuneMAMPolicy -canReceiveSharedFile:"]

  /// Not answered from memory, because the owner of the file is stored on disk.
  static func decide(
    _ asked: Addressed<Params>, in rooms: any Rooms, on connection: BridgeConnection
  ) throws(MAMError) -> Decision<Bool> {
    try rooms.receiving.canReceive(fileAt: asked.params.path, for: asked.account, sharing: asked.view)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "receiving the file")
  }
}

enum ReceiveContent: WorkQuestion {
  static let name = "enforcement.receive"
  static let summary = "Decide whether a window may use what another app hands over, and record its owner."
  static let details = """
    Give exactly one of url, paths and itemProvider. Protected files and bytes belong to their owner. Everything else \
    belongs to the sender if it is managed, or else to the user of a managed device whose policy protects data from \
    unknown sources (protectInboundDataFromUnknownSources), or else to nobody.

    In a multi-identity app, the window must show the owner of managed data, and no user for data that its account may \
    not receive. policyDelegate.identitySwitchRequired asks the host for that switch, with the reason openURL for a \
    url and documentImport for the others; any answer other than "success" blocks. After an allowed call, \
    policyManager.getIdentityForCurrentActivity returns the owner for the window. Files without an owner get the owner \
    that the answer names.
    """
  struct Params: Targeted {
    var source: ContentSender
    var url: AbsoluteURL?
    var paths: [AbsolutePath]?
    var itemProvider: ItemProvider?
    var window: String?
    var target: PolicyTarget { ShownTarget(window: window).target }
    static let fields = Fields(
      Self.init, Field("source", formerly: "from", \.source, "The app that hands it over."),
      Field("url", \.url, "A URL to open."),
      Field("paths", \.paths, "The absolute paths of documents to open."),
      Field("itemProvider", \.itemProvider, "An item to take over."),
      Field("window", \.window, "The host's name for the window; defaults to \"main\"."))
  }
  struct Result: Record {
    var allowed: Bool
    var account: Account
    var refusal: Refusal?
    static let schemaName = "ReceivedContent"
    static let fields = Fields(
      Self.init, Field("allowed", \.allowed, "Whether the window may use the content."),
      Field("account", \.account, "The owner of the content; both members are \"\" for nobody."),
      Field("refusal", \.refusal, "What to tell the user if the content is not allowed; otherwise null."))
  }
  typealias Answer = Reasoned<Result>
  static let resultSummary = "Whether the content may be used, and who owns it."
  static let errors: [ErrorCode] =
    [.invalidArguments, .failedToEncryptData, .failedToDecryptData, .tooManyIdentities] + .replacement + .keys
    + [.policyRequired]
  static let example = Example(
    Params(source: ContentSender(account: "alice@contoso.example", managed: true), paths: [.example]),
    Result(allowed: true, account: .example))

  static func decide(
    _ asked: Addressed<Params>, in rooms: any Rooms, on connection: BridgeConnection
  ) async throws(MAMError) -> Reasoned<Result> {
    let params = asked.params
    let reception = try await rooms.receiving.reception(
      of: params.incoming(), window: params.window, of: connection.identities)
    return reception.map { Result($0, in: rooms.state) }
  }

  /// Decides with the same function as `decide`.
  static func act(
    _ asked: Addressed<Params>, on connection: BridgeConnection
  ) async throws(MAMError) -> Reasoned<Result> {
    let (params, core) = (asked.params, connection.core)
    let reception = try await core.receiving.receive(
      params.incoming(), window: params.window, of: connection.identities)
    return reception.map { Result($0, in: core.state) }
  }

  /// Not the queue of the window's identity: the host sets that identity before it answers the question that this call
  /// asks.
  static func queue(_ params: Params) -> String? { "receive \(params.window ?? Identities.main)" }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.allowed.verdict(on: "receiving the content")
  }
}

/// The app that hands something over.
struct ContentSender: Record {
  var account: AccountReference?
  var managed: Bool
  static let fields = Fields(
    Self.init, Field("account", \.account, "The account that the app acts for; null if it acts for none."),
    Field("managed", \.managed, "Whether that account is managed in that app."))
}

extension ReceiveContent.Params {
  func incoming() throws(MAMError) -> IncomingContent {
    IncomingContent(try content(), from: source.account, isManaged: source.managed)
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
