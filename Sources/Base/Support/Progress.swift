/// The progress of long work.
package struct ProgressReport: Sendable {
  package enum Kind: String, CaseIterable, Sendable { case begin, report, end }

  package var kind: Kind
  /// 0 to 100; `nil` if the total is unknown.
  package var percentage: Int?
  package var message: String?

  package init(_ kind: Kind, percentage: Int? = nil, message: String? = nil) {
    self.kind = kind
    self.percentage = percentage
    self.message = message
  }
}

/// How many bytes of long work are done.
package struct WorkDone: Sendable, Equatable {
  package var bytes: Int
  /// `nil` if the total is unknown.
  package var total: Int?

  package init(bytes: Int, total: Int?) {
    self.bytes = bytes
    self.total = total
  }
}

/// The place to report progress to.
package enum Progress {
  /// `nil` if the caller did not ask for progress.
  package static var report: (@Sendable (ProgressReport) -> Void)? { CallContext.current?.report }
  /// Receives every step, unlike `report`, which gets each percent once. `nil` if the caller did not ask for it.
  package static var observe: (@Sendable (WorkDone) -> Void)? { CallContext.current?.observe }
}
