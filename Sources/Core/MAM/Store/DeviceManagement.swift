import SQLite

/// What the policy source has last said about the management of the device.
package struct DeviceManagement: Hashable, Sendable {
  /// Whether the device is enrolled in mobile device management.
  var isDeviceManaged = false
  /// Whether the management confines the app to one account (IntuneMAMAllowedAccountsOnly).
  var isConfined = false

  fileprivate static let managedName = "managedDevice"
  fileprivate static let confinedName = "confinement"
}

extension Connection {
  var deviceManagement: DeviceManagement {
    get throws(SQLiteError) {
      DeviceManagement(
        isDeviceManaged: try fact(DeviceManagement.managedName) != nil,
        isConfined: try fact(DeviceManagement.confinedName) != nil)
    }
  }

  func save(_ management: DeviceManagement) throws(SQLiteError) {
    try note(management.isDeviceManaged, as: DeviceManagement.managedName)
    try note(management.isConfined, as: DeviceManagement.confinedName)
  }

  /// Keeps the fact if it is true, and removes it otherwise.
  private func note(_ isTrue: Bool, as name: String) throws(SQLiteError) {
    guard (try fact(name) != nil) != isTrue else { return }
    if isTrue {
      try save(Entry(name, "true"), to: StoreSchema.facts)
    } else {
      try run("DELETE FROM facts WHERE name = ?", name)
    }
  }
}
