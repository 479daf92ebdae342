import Model

/// The rule of an assignment filter for managed apps: conditions such as `(app.deviceModel -startsWith "Pixel")`, joined
/// by and, or and parentheses. And binds closer than or.
indirect enum FilterRule: Hashable, Sendable {
  case condition(FilterCondition)
  case all([FilterRule])
  case any([FilterRule])
}

/// What a condition compares.
enum FilterProperty: String, CaseIterable, Sendable {
  case deviceManagementType, deviceManufacturer, deviceModel, operatingSystemVersion, osVersion

  var operators: [FilterOperator] {
    switch self {
    case .deviceManagementType: [.eq, .ne]
    case .deviceManufacturer, .deviceModel, .osVersion:
      [.eq, .ne, .in, .notIn, .startsWith, .contains, .notContains]
    case .operatingSystemVersion: [.eq, .ne, .gt, .ge, .lt, .le]
    }
  }
}

enum FilterOperator: String, CaseIterable, Sendable {
  case eq, ne, gt, ge, lt, le, `in`, notIn, startsWith, contains, notContains

  var takesList: Bool { self == .in || self == .notIn }
}

struct FilterCondition: Hashable, Sendable {
  enum Value: Hashable, Sendable {
    case null
    case type(ManagementType)
    case version(VersionNumber)
    /// In lower case.
    case texts([String])
  }

  let property: FilterProperty
  let comparison: FilterOperator
  let value: Value
}

/// The device as filters see it. `nil` for what nobody has reported.
package struct FilterDevice: Hashable, Sendable {
  /// `notReported` if the tenant decides.
  package var managementType: ManagementType
  package var manufacturer: String?
  package var model: String?
  package var osVersion: String?

  package init(
    managementType: ManagementType = .notReported, manufacturer: String? = nil, model: String? = nil,
    osVersion: String? = nil
  ) {
    self.managementType = managementType
    self.manufacturer = manufacturer
    self.model = model
    self.osVersion = osVersion
  }

  package init(_ device: Device) {
    self.init(
      managementType: device.managementType, manufacturer: device.manufacturer, model: device.model,
      osVersion: device.osVersion)
  }
}

/// Whether a rule lets a device through.
enum FilterResult: Hashable, Sendable {
  case matches, differs
  /// The text says, as a clause, what is missing.
  case unknown(String)

  fileprivate var negated: FilterResult {
    switch self {
    case .matches: .differs
    case .differs: .matches
    case .unknown: self
    }
  }
}

extension FilterRule {
  /// What nobody has reported decides nothing: the result is unknown unless the other conditions decide.
  func result(on device: FilterDevice) -> FilterResult {
    switch self {
    case .condition(let condition): condition.result(on: device)
    case .all(let rules): Self.combined(rules.map { $0.result(on: device) }, decisive: .differs)
    case .any(let rules): Self.combined(rules.map { $0.result(on: device) }, decisive: .matches)
    }
  }

  private static func combined(_ results: [FilterResult], decisive: FilterResult) -> FilterResult {
    if results.contains(decisive) { return decisive }
    return results.first { $0 != decisive.negated } ?? decisive.negated
  }

  /// Whether the result can depend on how the device is managed.
  var comparesManagement: Bool {
    switch self {
    case .condition(let condition): condition.property == .deviceManagementType
    case .all(let rules), .any(let rules): rules.contains(where: \.comparesManagement)
    }
  }
}

extension FilterCondition {
  fileprivate func result(on device: FilterDevice) -> FilterResult {
    switch property {
    case .deviceManagementType: compare(device.managementType)
    case .deviceManufacturer: compare(device.manufacturer, "the manufacturer of the device")
    case .deviceModel: compare(device.model, "the model of the device")
    case .operatingSystemVersion: compareVersion(device.osVersion)
    case .osVersion: compare(device.osVersion, Self.versionName)
    }
  }

  private static let versionName = "the version of the operating system"

  private func compare(_ actual: ManagementType) -> FilterResult {
    let isReported = actual != .notReported
    if value == .null, isReported { return notNull }
    guard isReported, case .type(let wanted) = value, let isEqual = actual.equals(wanted) else {
      return .unknown("how the device is managed is not reported\(isReported ? " in such detail" : "")")
    }
    return isEqual == (comparison == .eq) ? .matches : .differs
  }

  private func compareVersion(_ actual: String?) -> FilterResult {
    if value == .null, actual != nil { return notNull }
    guard let version = actual.flatMap({ VersionNumber($0) }), case .version(let wanted) = value else {
      return .unknown("\(Self.versionName) is not reported")
    }
    let isMet =
      switch comparison {
      case .eq: version == wanted
      case .ne: version != wanted
      case .gt: version > wanted
      case .ge: version >= wanted
      case .lt: version < wanted
      default: version <= wanted
      }
    return isMet ? .matches : .differs
  }

  private func compare(_ actual: String?, _ name: String) -> FilterResult {
    if value == .null, actual != nil { return notNull }
    guard let text = actual?.lowercasedASCII, case .texts(let wanted) = value else {
      return .unknown("\(name) is not reported")
    }
    let first = wanted.first ?? ""
    let isMet =
      switch comparison {
      case .ne, .notIn: !wanted.contains(text)
      case .startsWith: text.hasPrefix(first)
      case .contains: text.includes(first)
      case .notContains: !text.includes(first)
      default: wanted.contains(text)
      }
    return isMet ? .matches : .differs
  }

  /// The result for a device that has the property. That nobody has reported one does not mean that the device has none.
  private var notNull: FilterResult { comparison == .eq ? .differs : .matches }
}

extension String {
  /// Whether the bytes of another text are in this one.
  fileprivate func includes(_ other: String) -> Bool {
    let (mine, others) = (Array(utf8), Array(other.utf8))
    guard others.count <= mine.count else { return false }
    return (0...(mine.count - others.count)).contains { mine[$0..<($0 + others.count)].elementsEqual(others) }
  }
}
