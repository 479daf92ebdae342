import JSON
import Model
import Policy

/// A tenant in a folder that is asked what it would be if one setting of one policy were different.
package struct TenantVariations: Sendable {
  private let tenant: TenantSnapshot
  private let files: FolderFiles
  /// What the policies that somebody gets set and what decides something, by policy and name.
  package let settings: [PlacedSetting]
  /// How many settings of these policies decide nothing.
  package let informingCount: Int

  /// Throws if the tenant cannot be read as a whole.
  package init(folder: String) throws(TenantError) {
    files = FolderFiles(path: folder)
    tenant = try FolderTenant(path: folder).readAvailable(files).whole()
    let places = TenantPlaces(shownOf: tenant, app: nil, platform: nil)
    let used = Set(tenant.outcomes(of: tenant.users, in: places).used.numbers)
    let policies = tenant.policies.enumerated().filter { used.contains($0.offset) }.map(\.element)
    var lines: [String: MemberLines] = [:]
    for file in Set(policies.map(\.source)) { lines[file] = MemberLines(try files.read(file) ?? []) }
    settings = policies.flatMap { policy in PlacedSetting.all(of: policy, lines[policy.source]) }
    informingCount = policies.reduce(0) { count, policy in
      count + policy.settings.keys.filter { !$0.definition.role.decides }.count
    }
  }

  /// The ids of the policies that a user gets in an app on one of the platforms; empty if the tenant does not list the
  /// user.
  package func policies(of account: AccountReference, in app: String, on platforms: Set<DevicePlatform>) -> Set<String>
  {
    guard let user = tenant.user(for: account) else { return [] }
    var ids: Set<String> = []
    for platform in platforms {
      let outcomes = tenant.outcomes(of: [user], in: TenantPlaces(shownOf: tenant, app: app, platform: platform))
      for found in outcomes.classes {
        for result in outcomes.results(of: found) { ids.formUnion(outcomes.policies(of: result).map(\.id)) }
      }
    }
    return ids
  }

  /// The text of the policy's file with another value of the setting; `nil` stands for a setting that is not set. Throws
  /// if the tenant could not be read with it, or would differ in something else.
  package func text(changing setting: PlacedSetting, to value: SettingValue?) throws(TenantError) -> [UInt8] {
    func fault(_ reason: String) -> TenantError { .unparsable(file: setting.file, reason: reason) }
    guard !setting.file.hasPrefix("/"), let text = try files.read(setting.file) else {
      throw fault("is not in the tenant's folder")
    }
    let bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text[3...] : text[...]
    guard let file = try? JSONValue(parsing: bytes) else { throw fault("is not JSON") }
    let written = value.map { setting.name.definition.write(graph: $0, on: setting.platform) }
    let changed = Array(PolicyFileEdit(setting).changed(file, to: written).indentedText.utf8)
    let other = try TenantReader(files: ChangedFiles(base: files, file: setting.file, text: changed)).readAvailable()
      .whole()
    guard isSame(other, butFor: setting, value) else { throw fault("cannot be changed in this setting alone") }
    return changed
  }

  private func isSame(_ other: TenantSnapshot, butFor setting: PlacedSetting, _ value: SettingValue?) -> Bool {
    guard other.policies.count == tenant.policies.count else { return false }
    return zip(tenant.policies, other.policies).allSatisfy { old, new in
      var expected = old.settings
      if old.id == setting.policy { expected[setting.name] = value }
      return old.id == new.id && new.settings == expected && new.unknown == old.unknown
    }
  }
}

/// Files of a folder, one of them with another text.
private struct ChangedFiles: TenantFiles {
  let base: FolderFiles
  let file: String
  let text: [UInt8]

  func list(_ folder: String) throws(TenantError) -> [String] { try base.list(folder) }
  func read(_ name: String) throws(TenantError) -> [UInt8]? { name == file ? text : try base.read(name) }
}

/// Changes one setting in the JSON of a policy's file, whatever its form: one policy, a list, a page of an export, or the
/// dictionary of a device.
private struct PolicyFileEdit {
  private let setting: PlacedSetting
  /// The id of the first policy of the file that names none.
  private let stem: String

  init(_ setting: PlacedSetting) {
    self.setting = setting
    let file = setting.file
    stem = file.hasSuffix(".json") ? String(file.dropLast(".json".utf8.count)) : file
  }

  func changed(_ file: JSONValue, to value: JSONValue?) -> JSONValue {
    if let list = file.arrayValue { return .array(changed(list, to: value)) }
    guard var object = file.objectValue else { return file }
    guard let page = object["value"]?.arrayValue else { return changed([file], to: value)[0] }
    object["value"] = .array(changed(page, to: value))
    return .object(object)
  }

  private func changed(_ elements: [JSONValue], to value: JSONValue?) -> [JSONValue] {
    elements.enumerated().map { index, element in
      guard let object = element.objectValue else { return element }
      let place = index == 0 ? stem : "\(stem)#\(index + 1)"
      let id = object.deviceDictionary == nil ? object["id"]?.stringValue ?? place : place
      return id == setting.policy ? .object(changed(object, to: value)) : element
    }
  }

  private func changed(_ policy: JSONObject, to value: JSONValue?) -> JSONObject {
    guard policy.deviceDictionary != nil else { return withValue(value, policy) }
    return JSONObject(
      policy.members.map { member in
        guard let inner = member.value.objectValue else { return (member.name, member.value) }
        let isSettings = member.name == "IntuneMAMPolicies"
        return (member.name, .object(isSettings ? withValue(value, inner) : changed(inner, to: value)))
      })
  }

  private func withValue(_ value: JSONValue?, _ members: JSONObject) -> JSONObject {
    let others = members.members.filter { member in
      (SettingDefinition.named(byGraph: member.name) ?? .named(bySDK: member.name))?.name != setting.name
    }
    let name = setting.name.rawValue
    return JSONObject(others.map { ($0.name, $0.value) } + (value.map { [(name, $0)] } ?? []))
  }
}
