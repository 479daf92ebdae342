import Glibc
import Model
import Support
import Vault

/// The folder that is one device, and the part of it that belongs to one app.
package struct StateFolder: KeyHome {
  package let root: String
  package let appId: String
  /// Whether the owners and modes of the folders that lead to it do not matter.
  package let trustsParents: Bool

  package init(root: String, appId: String, trustsParents: Bool = false) {
    self.root = root
    self.appId = appId
    self.trustsParents = trustsParents
  }

  /// The part of another app.
  func forApp(_ appId: String) -> StateFolder { StateFolder(root: root, appId: appId, trustsParents: trustsParents) }

  package var keys: String { root + "/keys" }
  package var epochPage: String { keys + "/epoch" }
  package var apps: String { root + "/apps" }
  package var app: String { apps + "/" + appId }
  package var database: String { app + "/state.db" }
  package var logs: String { app + "/logs" }
  package var diagnosticPage: String { app + "/diagnostics.html" }
  /// Held by the process whose accounts check in.
  package var checkInLock: String { app + "/checkin.lock" }
  /// Of which each process locks one byte for each account that it wipes.
  package var wipeLock: String { app + "/wipe.lock" }
  /// What all apps are told of the device.
  package var device: String { root + "/device.db" }
  package var token: String { app + "/token" }
  package var temporaryFilesLock: String { app + "/temporary-files.lock" }

  /// Whose apps share a PIN and the time of its recheck: the first two labels of the app's id, in lower case.
  var publisher: String {
    appId.lowercasedASCII.split(separator: ".", omittingEmptySubsequences: false).prefix(2).joined(separator: ".")
  }

  /// Whether this may name an app: 1 to 128 letters, digits, dots and dashes, but not `.` or `..`.
  package static func isAppId(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { byte in
        byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: ".")
          || byte == UInt8(ascii: "-")
      }
  }

  package func hasApp(_ appId: String) -> Bool { Self.isAppId(appId) && Folder.exists(apps + "/" + appId) }

  package var exists: Bool { access(root, F_OK) == 0 }

  /// Throws 6007 when other users could change the state, or put another folder in its place.
  package func checkTrust() throws(MAMError) { try StateTrust(self).check() }

  /// Whether the app has a database that this user cannot change, as on a file system that is mounted read-only.
  var isReadOnly: Bool {
    access(database, R_OK) == 0 && (access(database, W_OK) != 0 || access(app, W_OK) != 0)
  }

  /// Whether nothing can be added to the device's folder, in which its database and the files beside that lie.
  var isDeviceReadOnly: Bool {
    access(root, F_OK) == 0 && (access(root, W_OK) != 0 || (access(device, F_OK) == 0 && access(device, W_OK) != 0))
  }

  /// Makes what is missing, for the user alone. Refuses a place that other users could change. A read-only state stays
  /// as it is.
  package func create() throws(MAMError) {
    try checkTrust()
    if isReadOnly { return }
    try makeFolder(root, withParents: true)
    StateMarker.write(in: root)
    for folder in [keys, apps, app] { try makeFolder(folder) }
    // All the rest works without writing a log, and who writes it tells why it cannot.
    if access(logs, W_OK) != 0 && errno == EROFS { return }
    try makeFolder(logs)
  }

  private func makeFolder(_ path: String, withParents: Bool = false) throws(MAMError) {
    if mkdir(path, 0o700) == 0 { return }
    switch errno {
    case EEXIST:
      try StateTrust(self).checkOwn(path, isRoot: path == root)
      return try checkFolder(path)
    case ENOENT where withParents:
      try makeFolder(path.parentPath, withParents: true)
      try makeFolder(path)
    default: throw .cannotUse(path, errno)
    }
  }

  private func checkFolder(_ path: String) throws(MAMError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .cannotUse(path, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .cannotUse(path, ENOTDIR) }
    guard access(path, R_OK | W_OK | X_OK) == 0 else { throw .cannotUse(path, errno) }
  }
}

extension String {
  /// All before the last slash; "/" and "." where there is nothing before.
  var parentPath: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// All behind the last slash.
  var lastName: String { lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self }
}

extension MAMError {
  /// A change of a state that can only be read.
  static func readOnlyState(_ path: String) -> MAMError {
    MAMError(
      .storeUnavailable, "the state is read-only for this user; nothing was changed",
      hint: "Make the state folder writable, or choose another one with --state", path: path)
  }

  /// A state folder that was there.
  static func stateGone(_ path: String) -> MAMError {
    MAMError(
      .storeUnavailable, "the state folder was removed or renamed while it was in use; nothing was changed",
      hint: "Put it back, or make an empty folder in its place to begin without accounts", path: path)
  }
}
