/// How far long work has come.
package struct ProgressReport: Sendable {
  package enum Kind: String, Sendable { case begin, report, end }

  package var kind: Kind
  /// 0 to 100; nil where the end is not known.
  package var percentage: Int?
  package var message: String?

  package init(_ kind: Kind, percentage: Int? = nil, message: String? = nil) {
    self.kind = kind
    self.percentage = percentage
    self.message = message
  }
}

/// Where work tells how far it has come.
package enum Progress {
  /// Nil when nobody asked.
  package static var report: (@Sendable (ProgressReport) -> Void)? { CallContext.current?.report }
}
