import Database
import Support

extension DatabaseSession {
  /// All operations that target a registration, by the time of the order.
  package func operations(of registration: String) throws(DatabaseError) -> [TargetedOperation] {
    try targets("operation_target.registration_id = :registration", registration)
  }

  /// The operations of the registrations with ids in a range, each by the time of the order. Of one user, or of all.
  func operations(
    from first: String, through last: String, user: String?
  ) throws(DatabaseError) -> [TargetedOperation] {
    let range = "operation_target.registration_id >= :first AND operation_target.registration_id <= :last"
    let order = "ORDER BY operation.ordered, operation.id"
    // Two statements, because no index serves a condition that may be absent.
    guard let user else {
      return try rows(
        """
        SELECT \(TargetedOperation.columns) FROM operation_target
        JOIN operation ON operation.id = operation_target.operation_id WHERE \(range) \(order)
        """, ["first": .text(first), "last": .text(last)]
      ).compactMap(TargetedOperation.init)
    }
    return try rows(
      """
      SELECT \(TargetedOperation.columns) FROM operation
      JOIN operation_target ON operation_target.operation_id = operation.id
      WHERE operation.user_id = :user AND \(range) \(order)
      """, ["first": .text(first), "last": .text(last), "user": .text(user)]
    ).compactMap(TargetedOperation.init)
  }

  /// The operations that a registration has not carried out.
  func pendingOperations(of registration: String) throws(DatabaseError) -> [TargetedOperation] {
    try targets("operation_target.registration_id = :registration AND operation_target.state = 'pending'", registration)
  }

  private func targets(_ condition: String, _ registration: String) throws(DatabaseError) -> [TargetedOperation] {
    try rows(
      """
      SELECT \(TargetedOperation.columns) FROM operation_target
      JOIN operation ON operation.id = operation_target.operation_id
      WHERE \(condition) ORDER BY operation.ordered, operation.id
      """, ["registration": .text(registration)]
    ).compactMap(TargetedOperation.init)
  }

  /// Orders an operation for the registrations that exist now. Returns how many there are; if there are none, nothing is
  /// ordered, unless the operation also targets registrations that come later.
  func order(_ operation: Operation) throws(DatabaseError) -> Int {
    try takeTurn(of: operation.userId)
    try run(
      """
      INSERT INTO operation (id, kind, tenant_id, user_id, app_id, device_tag, ordered_by, ordered, canceled, entry)
      VALUES (:id, :kind, :tenant, :user, :app, :tag, :actor, :ordered, NULL, :entry)
      ON CONFLICT (id) DO UPDATE SET canceled = NULL, entry = excluded.entry
      """,
      [
        "id": .text(operation.id), "kind": .text(operation.kind.rawValue), "tenant": .text(operation.tenantId),
        "user": .text(operation.userId), "app": DatabaseValue(operation.appId),
        "tag": DatabaseValue(operation.deviceTag), "actor": .text(operation.orderedBy),
        "ordered": DatabaseValue(operation.ordered), "entry": DatabaseValue(operation.entry),
      ])
    let count = try target(operation)
    guard count > 0 else {
      if operation.kind == .wipe, operation.orderedBy != Operation.folder { try forget(operation.id) }
      return 0
    }
    try bumpTargets(of: operation.id)
    try notify(ServiceNotice.operation(user: operation.userId).text)
    return count
  }

  /// Targets the registrations in force, and those that may come back: a device that was not seen for long, and one whose
  /// place somebody else has taken with the same device tag. Returns how many targets are new.
  private func target(_ operation: Operation) throws(DatabaseError) -> Int {
    try run(
      """
      INSERT INTO operation_target (operation_id, registration_id, state, outcome, changed)
      SELECT CAST(:operation AS TEXT), id, 'pending', NULL, CAST(:ordered AS BIGINT) FROM registration
      WHERE (ended IS NULL OR end_reason = 'unseen' OR end_reason = 'replaced' AND last_sync >= :earliest)
        AND tenant_id = :tenant AND user_id = :user
        AND (CAST(:app AS TEXT) IS NULL OR lower(app_id) = lower(CAST(:app AS TEXT)))
        AND (CAST(:tag AS TEXT) IS NULL OR device_tag = CAST(:tag AS TEXT))
      ON CONFLICT (operation_id, registration_id) DO UPDATE SET state = 'pending', changed = excluded.changed
        WHERE operation_target.state = 'canceled'
      """,
      [
        "operation": .text(operation.id), "ordered": DatabaseValue(operation.ordered),
        "earliest": DatabaseValue(operation.ordered.before(days: Registration.replacedDays)),
        "tenant": .text(operation.tenantId), "user": .text(operation.userId), "app": DatabaseValue(operation.appId),
        "tag": DatabaseValue(operation.deviceTag),
      ])
  }

  /// The operation with an id; `nil` if there is none.
  func operation(_ id: String) throws(DatabaseError) -> Operation? {
    try row("SELECT \(Operation.columns) FROM operation WHERE id = :id", ["id": .text(id)]).flatMap(Operation.init)
  }

  /// How many registrations an operation targets.
  func targetCount(of operation: String) throws(DatabaseError) -> Int {
    let row = try row("SELECT count(*) FROM operation_target WHERE operation_id = :id", ["id": .text(operation)])
    return Int(row?.integer(0) ?? 0)
  }

  /// Lets transactions that change the enrollments or the operations of one user run one after the other. Without it, an
  /// order and an enrollment at the same time, at two replicas, would not see each other.
  func takeTurn(of user: String) throws(DatabaseError) {
    try run(
      """
      INSERT INTO user_turn (user_id, turn) VALUES (:user, 1) ON CONFLICT (user_id) DO UPDATE SET turn = user_turn.turn + 1
      """, ["user": .text(user)])
  }

  private func forget(_ operation: String) throws(DatabaseError) {
    try run("DELETE FROM operation WHERE id = :id", ["id": .text(operation)])
  }

  private func bumpTargets(of operation: String) throws(DatabaseError) {
    try run(
      """
      UPDATE registration SET revision = revision + 1 WHERE id IN (
        SELECT registration_id FROM operation_target WHERE operation_id = :operation AND state = 'pending')
      """, ["operation": .text(operation)])
  }

  /// Lets the operations that block the user in the app target a new registration.
  func targetBlocks(_ registration: Registration) throws(DatabaseError) {
    try run(
      """
      INSERT INTO operation_target (operation_id, registration_id, state, outcome, changed)
      SELECT id, CAST(:registration AS TEXT), 'pending', NULL, CAST(:now AS BIGINT) FROM operation
      WHERE kind = 'wipeAndBlock' AND canceled IS NULL AND tenant_id = :tenant AND user_id = :user
        AND (app_id IS NULL OR lower(app_id) = lower(CAST(:app AS TEXT))) AND (device_tag IS NULL OR device_tag = :tag)
      ON CONFLICT (operation_id, registration_id) DO UPDATE SET state = 'pending', changed = excluded.changed
      """,
      [
        "registration": .text(registration.id), "now": DatabaseValue(registration.lastSync),
        "tenant": .text(registration.tenantId), "user": .text(registration.userId),
        "app": .text(registration.appId), "tag": .text(registration.deviceTag),
      ])
  }

  /// The operations that the tenant's folder has ordered and not taken back: the names of their entries, by id.
  func folderOperations() throws(DatabaseError) -> [String: String] {
    let rows = try rows(
      "SELECT id, entry FROM operation WHERE ordered_by = :actor AND canceled IS NULL",
      ["actor": .text(Operation.folder)])
    return Dictionary(rows.map { ($0.text(0) ?? "", $0.text(1) ?? "") }) { first, _ in first }
  }

  func setEntry(_ entry: String?, of operation: String) throws(DatabaseError) {
    try run(
      "UPDATE operation SET entry = :entry WHERE id = :id",
      ["entry": DatabaseValue(entry), "id": .text(operation)])
  }

  /// Takes an operation back where it is not carried out.
  func cancel(_ operation: String, at time: Timestamp) throws(DatabaseError) {
    try run(
      "UPDATE operation SET canceled = :time WHERE id = :id AND canceled IS NULL",
      ["time": DatabaseValue(time), "id": .text(operation)])
    try run(
      """
      UPDATE operation_target SET state = 'canceled', changed = :time
      WHERE operation_id = :id AND state = 'pending'
      """, ["time": DatabaseValue(time), "id": .text(operation)])
  }

  /// Notes that a registration has carried out an operation, once. Returns whether the state has changed.
  func complete(
    _ operation: String, in registration: String, outcome: String, at time: Timestamp
  ) throws(DatabaseError) -> Bool {
    try run(
      """
      UPDATE operation_target SET state = 'completed', outcome = :outcome, changed = :time
      WHERE operation_id = :operation AND registration_id = :registration AND state = 'pending'
      """,
      [
        "outcome": .text(outcome), "time": DatabaseValue(time), "operation": .text(operation),
        "registration": .text(registration),
      ]) > 0
  }

  /// Notes why an operation could not be carried out. It stays pending.
  func noteFailure(
    of operation: String, in registration: String, outcome: String, at time: Timestamp
  ) throws(DatabaseError) {
    try run(
      """
      UPDATE operation_target SET outcome = :outcome, changed = :time
      WHERE operation_id = :operation AND registration_id = :registration AND state = 'pending'
      """,
      [
        "outcome": .text(outcome), "time": DatabaseValue(time), "operation": .text(operation),
        "registration": .text(registration),
      ])
  }

  func targets(_ operation: String, _ registration: String) throws(DatabaseError) -> Bool {
    try row(
      "SELECT 1 FROM operation_target WHERE operation_id = :operation AND registration_id = :registration",
      ["operation": .text(operation), "registration": .text(registration)]) != nil
  }

  /// Cancels what registrations that left before `time` have not carried out: nobody will. A device that was not seen for
  /// long, or whose place was taken, may come back.
  func cancelAbandoned(before time: Timestamp, at now: Timestamp) throws(DatabaseError) {
    try run(
      """
      UPDATE operation_target SET state = 'canceled', outcome = coalesce(outcome, 'abandoned'), changed = :now
      WHERE state = 'pending' AND registration_id IN (
        SELECT id FROM registration WHERE ended < :time AND end_reason = 'left')
      """, ["now": DatabaseValue(now), "time": DatabaseValue(time)])
  }
}
