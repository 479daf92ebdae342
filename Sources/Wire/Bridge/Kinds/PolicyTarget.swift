import JSON
import Model

/// Parameters that say whose policy applies.
protocol Targeted: Record {
  var target: PolicyTarget { get }
}

/// Whose policy applies: several named accounts, else a named account, else the identity of a thread or window, else
/// the process identity.
struct PolicyTarget: Targeted {
  var account: AccountReference?
  var thread: String?
  var window: String?
  var accounts: [AccountReference]?

  static let fields = list(account: "The account whose policy applies; defaults to the effective identity.")
  var target: PolicyTarget { self }

  /// Adds these parameters to a method, at the end.
  static func group<Root: Targeted>() -> Field<Root, PolicyTarget> { Field(group: \.target, fields) }

  /// Adds these parameters to a method, at the end. `summary` describes an account that has a further role.
  static func group<Root: Targeted>(account summary: String) -> Field<Root, PolicyTarget> {
    Field(group: \.target, list(account: summary))
  }

  private static func list(
    account summary: String
  ) -> Fields<PolicyTarget> {
    Fields(
      Self.init, Field("account", \.account, summary),
      Field(
        "thread", \.thread,
        "The host's name for the thread or task; defaults to \"main\". Ignored if `window` is given."),
      Field("window", \.window, "The host's name for the window, for questions about what it shows."),
      Field("accounts", \.accounts, accountsSummary))
  }

  /// Describes the parameter for several accounts, wherever a method has it.
  static let accountsSummary =
    "The accounts of a view that is no window, in place of the others. Several, one of them managed, are locked down."
}

/// Parameters that name an account but no thread or window.
protocol AccountTargeted: Targeted {
  var account: AccountReference? { get }
}

extension AccountTargeted {
  var target: PolicyTarget { PolicyTarget(account: account) }
}

/// Parameters about what a window shows.
protocol WindowTargeted: Targeted {
  var shown: ShownTarget { get }
}

extension WindowTargeted {
  var target: PolicyTarget { shown.target }
}

/// Parameters about what a window or another view shows.
protocol ViewTargeted: WindowTargeted {
  var accounts: [AccountReference]? { get }
}

extension ViewTargeted {
  var target: PolicyTarget {
    var target = shown.target
    target.accounts = accounts
    return target
  }

  /// The parameter for several accounts, which comes last.
  static var accountsField: Field<Self, [AccountReference]?> {
    Field("accounts", { $0.accounts }, PolicyTarget.accountsSummary)
  }
}

/// Whose data a window shows: a named account's data, or else data of the window's effective identity. The window
/// defaults to "main".
struct ShownTarget: Record {
  var account: AccountReference?
  var window: String?

  static let fields = list(
    account: "The owner of the data; defaults to the effective identity of the window.",
    window: "The host's name for the window; defaults to \"main\".")
  var target: PolicyTarget { PolicyTarget(account: account, window: window ?? "main") }

  /// Adds these two parameters to a method.
  static func group<Root: WindowTargeted>() -> Field<Root, ShownTarget> { Field(group: \.shown, fields) }

  static func group<Root: WindowTargeted>(account: String, window: String) -> Field<Root, ShownTarget> {
    Field(group: \.shown, list(account: account, window: window))
  }

  private static func list(
    account: String, window: String
  ) -> Fields<ShownTarget> {
    Fields(Self.init, Field("account", \.account, account), Field("window", \.window, window))
  }
}
