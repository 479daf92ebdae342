import Database
import JSON
import Model
import Policy
import Support
import Tenancy

/// What an order changes of the files of a tenant.
struct PlannedEdit: Sendable {
  let files: TenantFileSet
  let edits: [TenantFileEdit]
  /// The files after the edits.
  let result: TenantFileSet
  /// What it sets that may wipe a device sooner than before, such as the action wipe or a shorter time without a network;
  /// `nil` for nothing. Whether a device is wiped then may depend on what the service does not know.
  let wipe: String?

  /// Throws 400 for objects of which no tenant can be made, 404, and 409 for what cannot be changed here.
  init(
    _ files: TenantFileSet, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) throws(GraphError) {
    let snapshot: TenantSnapshot
    do throws(TenantError) { snapshot = try files.read() } catch {
      throw .conflict("The tenant cannot be read, so it is not changed: \(error.description)")
    }
    let tenant = GraphTenant(snapshot)
    var (edits, result, wipe) = ([TenantFileEdit](), files, String?.none)
    for edit in try change(tenant) {
      guard let next = edit.inFiles(of: tenant) else { continue }
      wipe = wipe ?? next.wipe(in: tenant)
      let before = result
      do throws(TenantEditFault) { result = try result.applying([next]) } catch { throw GraphError(error) }
      if result != before { edits.append(next) }
    }
    if !edits.isEmpty {
      if let excess = result.excess { throw .conflict(excess) }
      do throws(TenantError) { _ = try TenantEdition(result, generation: 0, published: .earliestText) } catch {
        throw .badRequest("The tenant could not be read after this change: \(error.description)")
      }
    }
    (self.files, self.edits, self.result, self.wipe) = (files, edits, result, wipe)
  }

  /// What may wipe devices only after the edits, by what decides about them; `nil` if there is nothing.
  func newWipe() throws(GraphError) -> NewWipe? {
    do throws(TenantError) { return NewWipe.first(from: try files.read(), to: try result.read()) } catch {
      throw .conflict("The tenant cannot be read, so it is not changed: \(error.description)")
    }
  }

  /// Whether it may change what happens to a device.
  var changesPolicies: Bool {
    edits.contains { edit in
      switch edit {
      case .add(let list, _), .change(let list, _, _), .remove(let list, _): list != .configurations
      case .setUser, .removeUser: true
      }
    }
  }
}

extension TenantEdit {
  /// `nil` if nothing changes. A member that is as Graph shows it, or as the file has it, keeps its text.
  fileprivate func inFiles(of tenant: GraphTenant) -> TenantFileEdit? {
    switch self {
    case .set(let list, let object):
      let id = object["id"]?.stringValue ?? ""
      guard let policy = tenant.policies(in: list).first(where: { $0.id.lowercasedASCII == id.lowercasedASCII }) else {
        return .add(list, JSONObject(object.members.filter { !Self.isMade($0.name) }.map { ($0.name, $0.value) }))
      }
      var shown = policy.object
      shown["apps"] = .array(policy.apps)
      shown["assignments"] = policy.assignments.map(JSONValue.array)
      // Absence is no instruction: a version of Graph may not know a member.
      let changes = TenantMemberChange.changes(from: shown, to: object).filter {
        $0.value != nil && !Self.isMade($0.name)
      }
      return changes.isEmpty ? nil : .change(list, id: policy.id, changes)
    case .remove(let list, let id): return .remove(list, id: id)
    case .setUser(let user): return .setUser(user)
    case .removeUser(let id): return .removeUser(id: id)
    }
  }

  /// Whether Graph makes the member anew for each answer.
  private static func isMade(_ name: String) -> Bool {
    ["isAssigned", "deployedAppCount"].contains(name) || name.contains("@odata.") && name != "@odata.type"
  }
}

extension TenantFileEdit {
  /// What a policy has unless it says something else.
  private static let usualOfflineWipe = "P90D"

  fileprivate func wipe(in tenant: GraphTenant) -> String? {
    switch self {
    case .add(_, let object):
      object.members.first { Self.setsWipe($0.name, $0.value, insteadOf: nil) }.map { Self.wipe($0.name, $0.value) }
    case .change(_, let id, let changes):
      changes.first {
        Self.setsWipe($0.name, $0.value ?? .null, insteadOf: tenant.policy(id)?.object[$0.name])
      }.map { Self.wipe($0.name, $0.value ?? .null) }
    case .setUser(let user):
      (user["deleted"] == true || user["accountEnabled"] == false)
        && tenant.user(user["id"]?.stringValue ?? "")?.isEnabled != false ? "a user to disabled or deleted" : nil
    case .remove, .removeUser: nil
    }
  }

  private static func wipe(_ name: String, _ value: JSONValue) -> String { "\(name) to \(value.jsonText.prefix(60))" }

  private static func setsWipe(_ name: String, _ value: JSONValue, insteadOf old: JSONValue?) -> Bool {
    guard name != SettingName.periodOfflineBeforeWipeIsEnforced.rawValue else {
      return offlineLimit(value) < offlineLimit(old ?? .null)
    }
    if name.lowercasedASCII.includes("action"), value.stringValue?.lowercasedASCII == "wipe" { return true }
    // What a host does here is compared elsewhere.
    let decides = SettingDefinition.named(byGraph: name)?.role.decides ?? false
    return !decides && name.includes("Wipe") && !value.isNull && value != ""
  }

  /// In milliseconds. Zero days are no limit; a limit that cannot be read counts as the strictest.
  private static func offlineLimit(_ value: JSONValue) -> Int64 {
    guard let period = ISODuration(value.isNull ? usualOfflineWipe : value.stringValue ?? "") else { return 0 }
    return period.milliseconds == 0 ? .max : period.milliseconds
  }
}

extension GraphError {
  /// In seconds; git and editors are done by then.
  private static let retryAfter = Duration.seconds(2)

  static func conflict(_ message: String) -> GraphError { GraphError(409, "Conflict", message) }

  /// Somebody else changes the tenant.
  static func busy(_ reason: String) -> GraphError {
    var error = unavailable(after: retryAfter)
    error.message = "\(reason) Nothing was changed. Try again in \(retryAfter.components.seconds) s."
    return error
  }

  fileprivate init(_ fault: TenantEditFault) {
    self =
      switch fault {
      case .unknown: .notFound(fault.description)
      case .taken, .overridden, .unsuitable: .conflict(fault.description)
      }
  }

  init(_ refusal: EditedFolder.Refusal) {
    self =
      switch refusal {
      case .busy(let reason): .busy(reason)
      case .unsuitable(let reason): .conflict(reason)
      }
  }

  static func publishing<Value>(
    wasWritten: Bool = false, _ body: () async throws(PublicationFailure) -> Value
  ) async throws(GraphError) -> Value {
    do throws(PublicationFailure) { return try await body() } catch { throw GraphError(error, wasWritten: wasWritten) }
  }

  /// `wasWritten` says that the folder has the change.
  private init(_ failure: PublicationFailure, wasWritten: Bool) {
    switch failure {
    case .tenant(let error): self = .conflict(error.description)
    case .database, .outdated, .edited:
      self = .unavailable(after: Self.retryAfter)
      if wasWritten {
        message =
          "The change is in the folder, but the store cannot record it now. It is served as soon as the store can."
      }
    }
  }
}
