import JSON
import Model

/// Whose policy is asked: an account, else the identity of a thread or of a window, else the process's.
package struct PolicyTarget: Record {
  package var account: AccountReference?
  package var thread: String?
  package var window: String?

  package init(account: AccountReference? = nil, thread: String? = nil, window: String? = nil) {
    self.account = account
    self.thread = thread
    self.window = window
  }

  package static let fields = Fields(
    Self.init(account:thread:window:),
    Field("account", \.account, accountSummary), Field("thread", \.thread, threadSummary),
    Field("window", \.window, windowSummary))

  /// The window that is meant where one is needed and none is named.
  package static let mainWindow = "main"
  package static let accountSummary = "Whose policy is asked; without it the effective identity's."
  package static let threadSummary = """
    The host's name for a thread or task; without it \"main\". Says nothing where a window is given.
    """
  package static let shownSummary = "Whose data it is; without it the effective identity's of the window."
  package static let mainWindowSummary = "The host's name for the window; without it \"main\"."
  package static let windowSummary = "The host's name for a window; given for questions about what it shows."
}

extension PolicyTarget {
  /// Of what a window shows.
  static func shown(_ account: AccountReference?, _ window: String?) -> PolicyTarget {
    PolicyTarget(account: account, window: window ?? mainWindow)
  }
}

/// Parameters that say whose policy is asked.
package protocol Targeted: Record {
  var target: PolicyTarget { get }
}

extension PolicyTarget: Targeted {
  package var target: PolicyTarget { self }
}
