import Glibc
import Model

/// The apps on this device that have an owner's data: one marker file each, in the folder of the owner's shared key.
struct AppMarkers {
  let home: any KeyHome
  let folder: KeyFolder

  private var path: String { folder.path + "/apps" }

  /// Fast if the marker exists, because every check-in calls this. Only this app removes its own marker.
  func add() throws(MAMError) {
    guard access(marker(home.appId), F_OK) != 0 else { return }
    try Folder.make(folder.path, in: home.keys)
    try Folder.withLock(folder.path) { () throws(MAMError) in
      try Folder.make(path, in: folder.path)
      let descriptor = open(marker(home.appId), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .cannotUse(marker(home.appId), errno) }
      close(descriptor)
      try Folder.sync(path)
    }
  }

  /// The apps whose state folder exists, in order.
  func apps() throws(MAMError) -> [String] { try Folder.names(path).filter(home.hasApp).sorted() }

  /// Removes this app's marker and returns whether it was the last; the last app destroys the shared keys. Can be
  /// repeated after a kill.
  func remove() throws(MAMError) -> Bool {
    guard Folder.exists(folder.path) else { return true }
    return try Folder.withLock(folder.path) { () throws(MAMError) in
      let isLast = try others().isEmpty
      if isLast { try folder.destroyUnderLock() }
      try drop(home.appId)
      return isLast
    }
  }

  /// Ignores apps whose state folder is gone, and removes their markers: a new folder with that name is a new app.
  private func others() throws(MAMError) -> [String] {
    var others: [String] = []
    for app in try Folder.names(path) where app != home.appId {
      if home.hasApp(app) {
        others.append(app)
      } else {
        try drop(app)
      }
    }
    return others
  }

  private func drop(_ app: String) throws(MAMError) {
    guard Folder.exists(path) else { return }
    guard unlink(marker(app)) == 0 || errno == ENOENT else { throw .cannotUse(marker(app), errno) }
    try Folder.sync(path)
  }

  private func marker(_ app: String) -> String { path + "/" + app }
}
