import JSON
import Model

/// Parameters that say whose policy is asked.
protocol Targeted: Record {
  var target: PolicyTarget { get }
}

/// Whose policy is asked: an account, else the identity of a thread or of a window, else the process's.
struct PolicyTarget: Targeted {
  var account: AccountReference?
  var thread: String?
  var window: String?

  static let fields = list(account: "Whose policy is asked; without it the effective identity's.")
  var target: PolicyTarget { self }

  /// These three among the parameters of a method.
  static func group<Root: Targeted>() -> Field<Root, PolicyTarget> { Field(group: \.target, fields) }

  /// As above, where an account is more than whose policy is asked.
  static func group<Root: Targeted>(account summary: String) -> Field<Root, PolicyTarget> {
    Field(group: \.target, list(account: summary))
  }

  private static func list(
    account summary: String
  ) -> Fields<PolicyTarget, AccountReference?, String?, String?> {
    Fields(
      Self.init, Field("account", \.account, summary),
      Field(
        "thread", \.thread,
        "The host's name for a thread or task; without it \"main\". Says nothing where a window is given."),
      Field("window", \.window, "The host's name for a window; given for questions about what it shows."))
  }
}

/// Parameters that can say it by an account alone.
protocol AccountTargeted: Targeted {
  var account: AccountReference? { get }
}

extension AccountTargeted {
  var target: PolicyTarget { PolicyTarget(account: account) }
}

/// Parameters about what a window shows.
protocol Showing: Targeted {
  var shown: ShownTarget { get }
}

extension Showing {
  var target: PolicyTarget { shown.target }
}

/// Whose data a window shows: an account's, else that of the window's identity. Without a name it is the main window.
struct ShownTarget: Record {
  var account: AccountReference?
  var window: String?

  static let fields = list(
    account: "Whose data it is; without it the effective identity's of the window.",
    window: "The host's name for the window; without it \"main\".")
  var target: PolicyTarget { PolicyTarget(account: account, window: window ?? "main") }

  /// These two among the parameters of a method.
  static func group<Root: Showing>() -> Field<Root, ShownTarget> { Field(group: \.shown, fields) }

  static func group<Root: Showing>(account: String, window: String) -> Field<Root, ShownTarget> {
    Field(group: \.shown, list(account: account, window: window))
  }

  private static func list(
    account: String, window: String
  ) -> Fields<ShownTarget, AccountReference?, String?> {
    Fields(Self.init, Field("account", \.account, account), Field("window", \.window, window))
  }
}
