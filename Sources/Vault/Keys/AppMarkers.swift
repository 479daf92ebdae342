import Glibc
import Model

/// The apps on this device that an owner is known to: a file for each, in the folder of its shared key.
struct AppMarkers {
  let home: any KeyHome
  let folder: KeyFolder

  private var path: String { folder.path + "/apps" }

  /// Cheap when it is there already, for it is called at each check-in. Only this app takes its own marker away.
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

  /// Those whose state folder is there, in order.
  func apps() throws(MAMError) -> [String] { try Folder.names(path).filter(home.hasApp).sorted() }

  /// Takes this app out; whoever was the last destroys the shared keys. Whether it was. Can be repeated after a kill.
  func remove() throws(MAMError) -> Bool {
    guard Folder.exists(folder.path) else { return true }
    return try Folder.withLock(folder.path) { () throws(MAMError) in
      let isLast = try others().isEmpty
      if isLast { try folder.destroyUnderLock() }
      try drop(home.appId)
      return isLast
    }
  }

  /// Apps whose state folder is gone do not count, and lose their marker: a new folder of that name is a new app.
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
