import JSON
import Model

extension Settings {
  /// These, below overrides as the store holds them: JSON texts by name. What cannot be read, or is no setting of this
  /// version, is left out and told.
  func overridden(by stored: [String: String]) -> Settings {
    var settings = self
    for (name, text) in stored.sorted(by: { $0.key < $1.key }) {
      guard let value = try? JSONValue(parsing: text) else {
        settings.warn("a stored override has no effect: the value of \(name) cannot be read")
        continue
      }
      do throws(SettingsError) {
        try settings.override(name, value)
      } catch {
        settings.warn("a stored override has no effect: \(error.message)")
      }
    }
    return settings
  }

  /// The settings of these names, or all, under the names as they are given.
  package func report(_ names: [NamedSetting]?) -> [String: SettingReport] {
    let names = names ?? SettingKey.all.map { NamedSetting($0) }
    let reports = names.map { setting in
      let found = value(setting.key)
      return (setting.name, SettingReport(setting.key, value: found.value, origin: found.origin))
    }
    return Dictionary(reports, uniquingKeysWith: { first, _ in first })
  }
}
