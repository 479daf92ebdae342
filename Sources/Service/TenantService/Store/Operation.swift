import Database
import Support

/// A wipe that an administrator or the tenant's folder has ordered.
package struct Operation: Hashable, Sendable {
  package enum Kind: String, Sendable { case wipe, wipeAndBlock }

  /// The actor of an operation that the tenant's folder lists.
  package static let folder = "folder"

  /// A UUID in lower case.
  package var id: String
  package var kind: Kind
  package var tenantId: String
  package var userId: String
  /// `nil` for every app.
  package var appId: String?
  /// `nil` for every device.
  package var deviceTag: String?
  /// The administrator as the audit names callers, or `folder`.
  package var orderedBy: String
  package var ordered: Timestamp
  package var canceled: Timestamp?
  /// Names the entry of tenant.json that ordered it; `nil` for an order of an administrator.
  package var entry: String?
}

/// An operation, and how far it is in one registration.
package struct TargetedOperation: Hashable, Sendable {
  package enum State: String, Sendable { case pending, completed, canceled }

  package var operation: Operation
  package var registrationId: String
  package var state: State
  /// The last outcome that was reported, such as why it failed; `nil` without a report.
  package var outcome: String?
  /// When the state or the outcome changed.
  package var changed: Timestamp
}

extension Operation {
  static let columns = """
    operation.id, operation.kind, operation.tenant_id, operation.user_id, operation.app_id, operation.device_tag,
    operation.ordered_by, operation.ordered, operation.canceled, operation.entry
    """
  static let columnCount = 10

  /// From a row that begins with `columns`. `nil` for a kind that this version does not know.
  init?(_ row: DatabaseRow) {
    guard let kind = row.text(1).flatMap(Kind.init(rawValue:)) else { return nil }
    self.init(
      id: row.text(0) ?? "", kind: kind, tenantId: row.text(2) ?? "", userId: row.text(3) ?? "", appId: row.text(4),
      deviceTag: row.text(5), orderedBy: row.text(6) ?? "", ordered: row.time(7) ?? .earliestText,
      canceled: row.time(8), entry: row.text(9))
  }
}

extension TargetedOperation {
  static let columns = """
    \(Operation.columns), operation_target.registration_id, operation_target.state, operation_target.outcome,
    operation_target.changed
    """

  init?(_ row: DatabaseRow) {
    let next = Operation.columnCount
    guard let operation = Operation(row), let state = row.text(next + 1).flatMap(State.init(rawValue:)) else {
      return nil
    }
    self.init(
      operation: operation, registrationId: row.text(next) ?? "", state: state, outcome: row.text(next + 2),
      changed: row.time(next + 3) ?? .earliestText)
  }
}
