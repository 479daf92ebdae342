import JSON
import Model
import SQLite

/// Settings that a host overrides.
package struct SettingOverrides: Sendable {
  let live: LiveState

  /// Overrides settings, or ends overrides, for all processes of this app. May block.
  package func override(_ changes: SettingChanges) throws(MAMError) {
    let services = try live.refresh()
    try live.commit { transaction throws(SQLiteError) in
      for change in changes.changes {
        if let value = change.value {
          try transaction.override(change.key, value)
        } else {
          try transaction.endOverride(of: change.key)
        }
      }
    }
    for change in changes.changes {
      if let warning = change.warning { services.log.write(.warning, .settings, "\(public: warning)") }
      let end = change.value == nil ? "is no longer overridden" : "is overridden"
      services.log.write(.info, .settings, "\(public: change.key.name) \(public: end)")
    }
  }
}

extension StoreTransaction {
  func override(_ key: SettingKey, _ value: JSONValue) throws(SQLiteError) {
    // An earlier version may have stored an override under an older name.
    try endOverride(of: key)
    try connection.save(Entry(key.name, value.jsonText), to: StoreSchema.overrides)
  }

  func endOverride(of key: SettingKey) throws(SQLiteError) {
    for name in [key.name] + key.aliases { try connection.run("DELETE FROM overrides WHERE name = ?", name) }
  }

  /// Call this when an enrolled account has left. The overrides of its sign-in end, unless another account is still
  /// enrolled.
  func endAccountOverrides() throws(SQLiteError) {
    guard try !accounts().areAnyEnrolled else { return }
    for key in SettingKey.accountOverrides { try endOverride(of: key) }
  }
}
