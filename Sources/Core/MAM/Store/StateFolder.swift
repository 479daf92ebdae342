import Glibc
import Model
import Support
import Vault

/// The state folder of a device, and the part of it that belongs to one app.
package struct StateFolder: KeyHome {
  package let root: String
  package let appId: String
  /// Whether to ignore the owners and modes of the folders that lead to it.
  package let trustsParents: Bool

  package init(root: String, appId: String, trustsParents: Bool = false) {
    self.root = root
    self.appId = appId
    self.trustsParents = trustsParents
  }

  /// The same state folder, for another app.
  func forApp(_ appId: String) -> StateFolder { StateFolder(root: root, appId: appId, trustsParents: trustsParents) }

  package var keys: String { root + "/keys" }
  /// With a suffix, the name of a key file that replaces another.
  static let keyFileName = "root.key"
  /// The standard key file; `nil` if the root secret is elsewhere.
  package var keyFile: String? {
    let path = keys + "/" + Self.keyFileName
    return ["", ".next"].contains { access(path + $0, F_OK) == 0 } ? path : nil
  }
  package var hasKeys: Bool { access(keys + "/store.key", F_OK) == 0 }
  package var epochPage: String { keys + "/epoch" }
  package var apps: String { root + "/apps" }
  package var app: String { apps + "/" + appId }
  package var database: String { app + "/state.db" }
  package var logs: String { app + "/logs" }
  package var diagnosticPage: String { app + "/diagnostics.html" }
  /// Locked by the process that checks in the accounts.
  package var checkInLock: String { app + "/checkin.lock" }
  /// Locked by the process whose policy source watches for changes.
  package var sourceLock: String { app + "/source.lock" }
  /// Each process locks one byte of this file for each account that it wipes.
  package var wipeLock: String { app + "/wipe.lock" }
  /// What hosts reported about the device, for all apps.
  package var device: String { root + "/device.db" }
  package var token: String { app + "/token" }
  /// Whether the state is for a development tenant, and for no other. Whoever makes the state marks it.
  package var isForDevelopment: Bool { access(developmentMark, F_OK) == 0 }
  var developmentMark: String { root + "/development" }

  func markForDevelopment() throws(MAMError) {
    let mark = open(developmentMark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard mark >= 0 else { throw .cannotUse(root, errno) }
    close(mark)
  }
  package var temporaryFilesLock: String { app + "/temporary-files.lock" }

  /// The first two labels of the app id, in lower case. The apps of one publisher share a PIN and the time of its
  /// recheck.
  var publisher: String {
    appId.lowercasedASCII.split(separator: ".", omittingEmptySubsequences: false).prefix(2).joined(separator: ".")
  }

  /// Whether the text is a valid app id: 1 to 128 letters, digits, dots and dashes, but not `.` or `..`.
  package static func isAppId(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { byte in
        byte.isAlphanumeric || byte == UInt8(ascii: ".")
          || byte == UInt8(ascii: "-")
      }
  }

  package func hasApp(_ appId: String) -> Bool { Self.isAppId(appId) && Folder.exists(apps + "/" + appId) }

  package var exists: Bool { access(root, F_OK) == 0 }

  /// Throws 6007 if other users could change the state, and 6001 if there is none of the app.
  func checkState() throws(MAMError) {
    try checkTrust()
    guard hasState else {
      throw MAMError(
        .storeUnavailable, "there is no state of the app \(appId)",
        hint: "Enroll an account, or choose another folder with --state", path: database)
    }
  }

  /// Whether the app has a database here.
  package var hasState: Bool { access(database, F_OK) == 0 }

  /// The ids of the apps that have a database here, in alphabetical order; empty if the folder cannot be read.
  package var appsWithState: [String] {
    let names = (try? Folder.names(apps)) ?? []
    return names.filter { Self.isAppId($0) && forApp($0).hasState }.sorted()
  }

  /// Throws 6007 if other users could change the state, or put another folder in its place.
  package func checkTrust() throws(MAMError) { try StateTrust(self).check() }

  /// Whether the app has a database that this user cannot change, for example on a file system that is mounted
  /// read-only.
  var isReadOnly: Bool {
    access(database, R_OK) == 0 && (access(database, W_OK) != 0 || access(app, W_OK) != 0)
  }

  /// Whether this user cannot write the device database, or cannot add the files that SQLite keeps beside it.
  var isDeviceReadOnly: Bool {
    access(root, F_OK) == 0 && (access(root, W_OK) != 0 || (access(device, F_OK) == 0 && access(device, W_OK) != 0))
  }

  /// Creates missing folders, for the user alone. Refuses a location that other users could change. Leaves a read-only
  /// state unchanged.
  package func create() throws(MAMError) {
    try checkTrust()
    if isReadOnly { return }
    try makeFolder(root, withParents: true)
    StateMarker.write(in: root)
    for folder in [keys, apps, app] { try makeFolder(folder) }
    // Everything else works without a log, and the code that writes the log reports why it cannot.
    if access(logs, W_OK) != 0 && errno == EROFS { return }
    try makeFolder(logs)
  }

  private func makeFolder(_ path: String, withParents: Bool = false) throws(MAMError) {
    if mkdir(path, 0o700) == 0 {
      // Without its name, what is in it is gone after a power cut. A folder above the state may be one that cannot be read.
      if withParents { try? Folder.sync(path.parentPath) } else { try Folder.sync(path.parentPath) }
      return
    }
    switch errno {
    case EEXIST:
      try StateTrust(self).checkOwn(path, isRoot: path == root)
      return try checkFolder(path)
    case ENOENT where withParents:
      try makeFolder(path.parentPath, withParents: true)
      try makeFolder(path, withParents: true)
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
  /// Everything before the last slash; "/" if nothing is before it, and "." without a slash.
  var parentPath: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// Everything after the last slash.
  var lastName: String { lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self }
}

extension MAMError {
  /// The error for a change of a state that can only be read.
  static func readOnlyState(_ path: String) -> MAMError {
    MAMError(
      .storeUnavailable, "the state is read-only for this user; nothing was changed",
      hint: "Make the state folder writable, or choose another one with --state", path: path)
  }

  /// The error for a state folder that disappeared during use.
  static func stateGone(_ path: String) -> MAMError {
    MAMError(
      .storeUnavailable, "the state folder was removed or renamed while it was in use; nothing was changed",
      hint: "Put the folder back, or create an empty one in its place to start without accounts", path: path)
  }
}
