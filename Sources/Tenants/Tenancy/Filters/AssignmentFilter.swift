import JSON
import Model
import Policy

/// A filter that assignments name, as Graph's `deviceManagement/assignmentFilters` has it.
struct AssignmentFilter: Sendable {
  /// In lower case.
  let id: String
  let displayName: String
  /// The file that the filter was read from, relative to the tenant's folder.
  let source: String
  /// As Graph has it.
  let object: JSONObject
  /// `nil` for every platform. Empty for an unknown one.
  private let platforms: [DevicePlatform]?
  /// The rule, or a predicate of the filter that says why there is none.
  private(set) var rule: Result<FilterRule, FilterUnusable>

  struct FilterUnusable: Error, Hashable, Sendable { let reason: String }

  /// `nil` for an object without an id, which no assignment can name.
  init?(_ object: JSONObject, source: String) {
    guard let id = object["id"]?.stringValue, !id.isEmpty else { return nil }
    self.id = id.lowercasedASCII
    self.object = object
    displayName = object["displayName"]?.stringValue.nonEmpty ?? id
    self.source = source
    platforms = object["platform"].flatMap {
      $0.isNull ? nil : Self.platforms[$0.stringValue?.lowercasedASCII ?? ""] ?? []
    }
    rule = Self.rule(of: object)
  }

  private static let platforms: [String: [DevicePlatform]] = [
    "iosmobileapplicationmanagement": [.ios], "androidmobileapplicationmanagement": [.android],
    "windowsmobileapplicationmanagement": [.windows],
  ]

  private static func rule(of object: JSONObject) -> Result<FilterRule, FilterUnusable> {
    let kind = object["assignmentFilterManagementType"]
    guard kind == nil || kind == .null || kind?.stringValue?.lowercasedASCII == "apps" else {
      let text = kind?.shortText ?? ""
      return .failure(FilterUnusable(reason: "is not for managed apps (assignmentFilterManagementType is \(text))"))
    }
    guard let text = object["rule"]?.stringValue else { return .failure(FilterUnusable(reason: "has no rule")) }
    return Result { () throws(FilterRuleFault) in try FilterRuleParser.parse(text) }
      .mapError { FilterUnusable(reason: "has a rule that cannot be evaluated (\($0.description))") }
  }

  func isFor(_ platform: DevicePlatform) -> Bool { platforms?.contains(platform) ?? true }

  fileprivate func says(theSameAs other: AssignmentFilter) -> Bool {
    displayName == other.displayName && rule == other.rule && platforms == other.platforms
  }

  mutating func refuse(_ reason: String) { rule = .failure(FilterUnusable(reason: reason)) }

  /// Whether the filter lets a device through.
  func result(on device: FilterDevice, _ platform: DevicePlatform) -> FilterResult {
    guard isFor(platform) else { return .unknown("it is not for \(platform.rawValue)") }
    switch rule {
    case .failure(let fault): return .unknown("it \(fault.reason)")
    case .success(let rule): return rule.result(on: device)
    }
  }
}

/// The filters of a tenant by id.
struct AssignmentFilters: Sendable {
  private var byID: [String: AssignmentFilter] = [:]

  /// Two filters with one id and different contents are both refused: nobody can say which one is meant.
  mutating func add(_ filter: AssignmentFilter) {
    guard var known = byID[filter.id] else {
      byID[filter.id] = filter
      return
    }
    guard !known.says(theSameAs: filter) else { return }
    known.refuse("has the same id as another filter, in \(filter.source)")
    byID[filter.id] = known
  }

  subscript(id: String) -> AssignmentFilter? { byID[id.lowercasedASCII] }

  var all: [AssignmentFilter] { byID.values.sorted { $0.id < $1.id } }

  /// Whether a rule compares how a device is managed.
  var compareManagement: Bool {
    byID.values.contains { filter in
      if case .success(let rule) = filter.rule { rule.comparesManagement } else { false }
    }
  }
}

/// What the filter of an assignment says about a device.
struct FilterOutcome: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case passes, rejects, unknown }

  let kind: Kind
  /// A clause about the filter.
  let text: String
}

extension AssignmentFilters {
  func outcome(
    of reference: FilterReference, on device: FilterDevice, _ platform: DevicePlatform
  ) -> FilterOutcome {
    guard let filter = self[reference.id] else {
      let name = reference.id.isEmpty ? "the assignment does not name its filter" : "filters/ has no \(reference.id)"
      return FilterOutcome(kind: .unknown, text: name)
    }
    let name = "the filter \"\(filter.displayName)\""
    guard reference.mode != .unknown else {
      return FilterOutcome(kind: .unknown, text: "the assignment does not say whether \(name) includes or excludes")
    }
    if case .failure(let fault) = filter.rule { return FilterOutcome(kind: .unknown, text: "\(name) \(fault.reason)") }
    let includes = reference.mode == .include
    switch filter.result(on: device, platform) {
    case .unknown(let reason):
      return FilterOutcome(kind: .unknown, text: "\(name) cannot be evaluated: \(reason)")
    case .matches:
      return FilterOutcome(
        kind: includes ? .passes : .rejects, text: "\(name) \(includes ? "in" : "ex")cludes the device")
    case .differs:
      return FilterOutcome(
        kind: includes ? .rejects : .passes, text: "\(name) does not \(includes ? "in" : "ex")clude the device")
    }
  }
}

extension TenantSnapshot {
  /// The filters that assignments may name, as Graph has them, sorted by id.
  package var assignmentFilters: [JSONObject] { filters.all.map(\.object) }
}
