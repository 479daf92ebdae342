import Model
import Policy

/// A filter of an assignment that nobody can evaluate before the device is known.
package struct UncertainFilter: Hashable, Sendable {
  /// In lower case.
  package let id: String
  package let mode: FilterReference.Mode
  /// `nil` if the filter has no usable rule.
  let rule: FilterRule?
}

/// Whether documents apply, for each set of conditions that users meet, in every place. Each is decided once, as
/// `TenantSnapshot.targeting` decides it.
struct TargetingRows {
  /// What is decided of one document in one place.
  struct Verdict: Hashable {
    let reason: TargetingReason
    /// The filters on which the verdict depends, by their number in `filterSets`.
    let filters: Int?

    var isApplied: Bool { reason.isApplied }
  }

  /// The verdicts on a document in all places, for users who meet the same conditions of it.
  struct Row {
    let document: Int
    var verdicts: [Verdict]
  }

  /// What targeting looks at in an app.
  private struct AppKey: Hashable {
    var conditions: ArraySlice<TargetingCondition> = []
    var isMicrosofts = false
    var isCore: Set<DevicePlatform> = []
  }

  private let tenant: TenantSnapshot
  private let places: TenantPlaces
  private let conditions: TargetingConditions
  private var audience: TargetingAudience
  private let devices: [AudienceDevice]
  /// By document: the apps of `places` that it does not treat like any other app.
  private var specialApps: [[Int: AppKey]]
  private var numbers: [ArraySlice<TargetingCondition>: Int] = [:]
  private var filterNumbers: [Set<UncertainFilter>: Int] = [:]

  /// First a row for each document and users who meet none of its conditions, then others as they were asked for.
  private(set) var rows: [Row] = []
  private(set) var filterSets: [Set<UncertainFilter>] = []

  init(
    of tenant: TenantSnapshot, in places: TenantPlaces, _ conditions: TargetingConditions, _ audience: TargetingAudience
  ) {
    self.tenant = tenant
    self.places = places
    self.conditions = conditions
    self.audience = audience
    devices = places.devices.map { device in
      AudienceDevice(
        device.platform, tenant.managementLevel, FilterDevice(managementType: device.managementType ?? .notReported),
        isManaged: tenant.mdm != nil)
    }
    specialApps = Self.specialApps(among: places.apps, conditions)
    for document in conditions.isForMicrosofts.indices { rows.append(decide(document, for: [])) }
  }

  private static func specialApps(
    among apps: [TenantShare.App], _ conditions: TargetingConditions
  ) -> [[Int: AppKey]] {
    var special = Array(repeating: [Int: AppKey](), count: conditions.isForMicrosofts.count)
    for (index, app) in apps.enumerated() {
      let name = app.text.lowercasedASCII
      for conditions in conditions.met(byApp: name).byDocument {
        special[conditions.first?.document ?? 0][index, default: AppKey()].conditions = conditions
      }
      let isMicrosofts = name.hasPrefix("com.microsoft.")
      let core = Set(DevicePlatform.allCases.filter { CoreMicrosoftApps.contains(name, on: $0) })
      guard isMicrosofts || !core.isEmpty else { continue }
      for (document, isForMicrosofts) in conditions.isForMicrosofts.enumerated() where isForMicrosofts {
        special[document][index, default: AppKey()].isMicrosofts = isMicrosofts
        special[document][index, default: AppKey()].isCore = core
      }
    }
    return special
  }

  /// The number of the row of a document for users who meet these conditions of it. `groups` are those of one of them.
  mutating func row(for conditions: ArraySlice<TargetingCondition>, groups: Set<String>) -> Int {
    if let number = numbers[conditions] { return number }
    let number = rows.count
    numbers[conditions] = number
    rows.append(decide(conditions.first?.document ?? 0, for: groups))
    return number
  }

  private mutating func decide(_ document: Int, for groups: Set<String>) -> Row {
    audience.groups = groups
    var found = devices.map { verdict(on: document, in: .other, $0) }
    var row = Row(document: document, verdicts: places.apps.flatMap { _ in found })
    var known: [AppKey: [Verdict]] = [:]
    for (app, key) in specialApps[document] {
      found = known[key] ?? devices.map { verdict(on: document, in: places.apps[app], $0) }
      known[key] = found
      for (index, verdict) in found.enumerated() { row.verdicts[app * devices.count + index] = verdict }
    }
    return row
  }

  private mutating func verdict(on document: Int, in app: TenantShare.App, _ device: AudienceDevice) -> Verdict {
    audience.app = app.text.lowercasedASCII
    audience.device = device
    guard document < tenant.policies.count else {
      let configuration = tenant.configurations[document - tenant.policies.count]
      return Verdict(reason: audience.verdict(of: configuration).reason, filters: nil)
    }
    let policy = tenant.policies[document]
    let reason = audience.verdict(of: policy).reason
    guard reason == .appliesUnfiltered else { return Verdict(reason: reason, filters: nil) }
    return Verdict(reason: reason, filters: number(of: uncertain(audience.uncertainFilters(of: policy.targeting))))
  }

  private func uncertain(_ references: [FilterReference]) -> Set<UncertainFilter> {
    Set(
      references.map { reference in
        UncertainFilter(
          id: reference.id.lowercasedASCII, mode: reference.mode, rule: try? tenant.filters[reference.id]?.rule.get())
      })
  }

  private mutating func number(of filters: Set<UncertainFilter>) -> Int {
    if let number = filterNumbers[filters] { return number }
    filterNumbers[filters] = filterSets.count
    filterSets.append(filters)
    return filterSets.count - 1
  }
}
