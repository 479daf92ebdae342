import Database
import JSON
import Model
import Support
import Tenancy

/// What a version of a tenant does to the registered devices, in comparison with the one before.
package struct BlastRadius: Sendable {
  private static let mostNamed = 20
  fileprivate static let pageSize = 1000

  /// Registrations that fare in one way.
  package struct Part: Sendable {
    package private(set) var count = 0
    /// The first of them.
    private(set) var named: [JSONValue] = []

    fileprivate mutating func add(_ registration: Registration) {
      count += 1
      guard named.count < BlastRadius.mostNamed else { return }
      named.append([
        "id": .string(registration.id), "userId": .string(registration.userId),
        "userPrincipalName": .string(registration.facts.userPrincipalName), "appId": .string(registration.appId),
        "deviceName": .string(registration.facts.deviceName), "deviceTag": .string(registration.deviceTag),
      ])
    }

    fileprivate var jsonValue: JSONValue { ["count": .integer(Int64(count)), "registrations": .array(named)] }
  }

  /// How many registrations there are.
  package private(set) var registrations = 0
  package private(set) var wiped = Part()
  package private(set) var blocked = Part()
  /// Blocked or wiped before.
  package private(set) var freed = Part()
  /// Could be wiped, if they reported something else or stayed away, by what would not wipe them before.
  package private(set) var endangered = Part()
  /// What that is for the first of them, in words.
  private(set) var danger: String?

  package var jsonObject: JSONObject {
    [
      "registrations": .integer(Int64(registrations)), "wiped": wiped.jsonValue, "blocked": blocked.jsonValue,
      "freed": freed.jsonValue, "endangered": endangered.jsonValue,
    ]
  }

  /// For an administrator.
  package var line: String {
    "of \(registrations) registered devices, \(wiped.count) would be wiped, \(blocked.count) blocked, and "
      + "\(freed.count) freed"
  }

  fileprivate mutating func add(_ page: [Registration], _ standings: inout DeviceStandings) {
    for registration in page {
      registrations += 1
      guard let described = registration.described else { continue }
      if let wipe = standings.newWipe(of: described) {
        endangered.add(registration)
        danger = danger ?? "with \(registration.appId) on \(registration.facts.platform): \(wipe)"
      }
      let (before, after) = standings.standings(of: described)
      guard before != after else { continue }
      switch after {
      case .wiped: wiped.add(registration)
      case .blocked where before == .free: blocked.add(registration)
      case .blocked, .free: freed.add(registration)
      }
    }
  }
}

extension TenantStore {
  /// Looks at each registration that has not ended. Hosts that report more than they have told the service may fare
  /// otherwise.
  package func blastRadius(
    from old: TenantSnapshot, to new: TenantSnapshot
  ) async throws(DatabaseError) -> BlastRadius {
    var radius = BlastRadius()
    var standings = DeviceStandings(from: old, to: new)
    var last = ""
    while true {
      let page = try await registrations(after: last, limit: BlastRadius.pageSize)
      radius.add(page, &standings)
      guard let end = page.last?.id, page.count == BlastRadius.pageSize else { return radius }
      last = end
    }
  }

  /// What publishing the files would do.
  func blastRadius(
    of guarded: GuardedTenant, from served: TenantSnapshot?
  ) async throws(PublicationFailure) -> BlastRadius {
    let new: TenantSnapshot
    do throws(TenantError) { new = try guarded.files.read() } catch { throw .tenant(error) }
    do throws(DatabaseError) { return try await blastRadius(from: served ?? new, to: new) } catch {
      throw .database(error)
    }
  }
}

extension Registration {
  /// `nil` for a platform that this version does not know.
  fileprivate var described: DescribedDevice? {
    guard let platform = DevicePlatform(rawValue: facts.platform) else { return nil }
    var device = Device()
    device.platform = platform
    func reported(_ text: String) -> String? { text.isEmpty ? nil : text }
    (device.osVersion, device.appVersion) = (reported(facts.osVersion), reported(facts.appVersion))
    if let version = reported(facts.sdkVersion) { device.sdkVersion = version }
    (device.manufacturer, device.model) = (reported(facts.manufacturer), reported(facts.model))
    device.jailbroken = facts.isJailbroken
    if let type = ManagementType(rawValue: facts.managementType) { device.managementType = type }
    return DescribedDevice(user: userId, app: appId, device)
  }
}

/// What both editors do before they write.
struct EditCheck: Sendable {
  let store: TenantStore
  let served: ServedTenant

  /// Throws if the result could not be served, or if it would wipe a registered device and the order may not.
  func check(_ plan: PlannedEdit, _ order: TenantEditOrder) async throws(GraphError) {
    let guarded = try await guarded(plan)
    guard !order.mayWipe, plan.changesPolicies else { return }
    if let wipe = plan.wipe { throw Self.refusal("The change could wipe devices, because it sets \(wipe)", order) }
    let radius = try await radius(of: guarded)
    guard radius.wiped.count == 0 else {
      throw Self.refusal("The change would wipe registered devices (\(radius.wiped.count))", order, lists: true)
    }
    if let danger = radius.danger {
      let count = radius.endangered.count
      throw Self.refusal("The change could wipe registered devices (\(count)), the first \(danger)", order, lists: true)
    }
    if let wipe = try plan.newWipe() { throw Self.refusal("The change could wipe devices \(wipe)", order) }
  }

  private static func refusal(_ cause: String, _ order: TenantEditOrder, lists: Bool = false) -> GraphError {
    let list = lists ? " Repeat the request with ?$preview=true for a list of them." : ""
    return GraphError(
      403, "Forbidden",
      "\(cause). The caller may not wipe, so nothing was changed. Ask for \(order.wipeRight), or for somebody who has it."
        + list)
  }

  func preview(_ plan: PlannedEdit) async throws(GraphError) -> JSONObject {
    try await radius(of: guarded(plan)).jsonObject
  }

  private func guarded(_ plan: PlannedEdit) async throws(GraphError) -> GuardedTenant {
    try await GraphError.publishing { () async throws(PublicationFailure) in
      let guarded = try await store.preview(plan.result, limit: served.limit, authorizing: plan.edits)
      if let refusal = guarded.refusal { throw PublicationFailure.tenant(refusal) }
      return guarded
    }
  }

  private func radius(of guarded: GuardedTenant) async throws(GraphError) -> BlastRadius {
    try await GraphError.publishing { () async throws(PublicationFailure) in
      try await store.blastRadius(of: guarded, from: served.edition?.tenant)
    }
  }
}
