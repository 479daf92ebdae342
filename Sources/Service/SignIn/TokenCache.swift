import CGlibc
import Glibc
import Support

/// The sign-ins of a user in one sealed file, shared by all processes of the user. Access tokens are never in it.
///
/// Readers need no lock, because the file is replaced in one step. Whoever uses a refresh token or changes the file
/// holds the lock of `FILE.lock`.
package final class TokenCache: Sendable {
  /// More than the requests to a provider take, so that a process that waits for another one usually gets its turn.
  package static let usualPatience = Duration.seconds(20)
  private static let longestFile = 1 << 20
  private static let mostSignIns = 100
  private static let pause = Duration.milliseconds(20)
  /// Room for tokens that are longer than the ones before.
  private static let spareRoom = 64 << 10

  package let path: String
  private let folderPath: String
  fileprivate let name: String
  fileprivate let seal: TokenSeal
  private let patience: Duration

  /// `path` must be absolute. Without a key command, the key is in `FILE.key`. `patience` is how long to wait for
  /// another process.
  package init(_ path: String, keyCommand: [String]? = nil, patience: Duration = usualPatience) {
    self.path = path
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let folder = String(path[..<slash])
    folderPath = folder.isEmpty ? "/" : folder
    name = String(path[slash...].drop { $0 == "/" })
    seal = TokenSeal(command: keyCommand)
    self.patience = patience
  }

  /// Empty if there is no file.
  package func signIns() throws(SignInFailure) -> [StoredSignIn] {
    guard let folder = try PrivateFolder(folderPath, makes: false) else { return [] }
    return try read(folder)
  }

  /// Waits for the lock. Fails if another process holds it for too long.
  func lock() async throws(SignInFailure) -> LockedTokenCache {
    guard let folder = try PrivateFolder(folderPath, makes: true) else { throw .cannot("open the folder", folderPath) }
    try seal.prepare()
    let file = try folder.lockFile(name + ".lock")
    let end = ContinuousClock.now + patience
    let outcome = await Flock.take(file) {
      try? await Task.sleep(for: Self.pause)
      return ContinuousClock.now < end && !Task.isCancelled
    }
    if outcome == .taken { return LockedTokenCache(self, folder, lock: file) }
    defer { close(file) }
    if case .failed(let error) = outcome { throw .cannot("lock", "\(path).lock", error.number) }
    throw SignInFailure(
      .cacheBusy,
      "\(LockHolder.name(of: file)) holds the lock of the token cache, \(path).lock. Try again. If this goes on, "
        + "end the process that holds the lock.")
  }

  fileprivate func read(_ folder: PrivateFolder) throws(SignInFailure) -> [StoredSignIn] {
    guard let sealed = try folder.read(name, upTo: Self.longestFile) else { return [] }
    var text = try seal.open(sealed, in: folder, name)
    defer { text.clear() }
    guard let signIns = StoredSignIn.list(text) else { throw .damaged(path, "its content is not a list of sign-ins") }
    return signIns
  }

  fileprivate func write(_ signIns: [StoredSignIn], _ folder: PrivateFolder) throws(SignInFailure) {
    guard !signIns.isEmpty else { return try folder.remove(name) }
    var text = StoredSignIn.text(signIns)
    defer { text.clear() }
    guard signIns.count <= Self.mostSignIns, text.count <= Self.longestFile - Self.spareRoom else {
      throw SignInFailure(
        .cache,
        "The token cache \(path) is full: it takes \(Self.mostSignIns) sign-ins and less than 1 MiB. Remove some with "
          + "mambridge-tenant logout.")
    }
    try folder.write(try seal.seal(text, in: folder, name), as: name, replaces: true)
  }

  fileprivate func room(_ folder: PrivateFolder) throws(SignInFailure) -> NewFile {
    let size = try folder.read(name, upTo: Self.longestFile)?.count ?? 0
    return try folder.room(for: size + Self.spareRoom, name)
  }
}

/// A token cache that no other process changes. The lock ends with this value.
final class LockedTokenCache {
  private let cache: TokenCache
  private let folder: PrivateFolder
  private let file: Int32
  private var room: NewFile?

  fileprivate init(_ cache: TokenCache, _ folder: PrivateFolder, lock file: Int32) {
    (self.cache, self.folder, self.file) = (cache, folder, file)
  }

  deinit { close(file) }

  func signIns() throws(SignInFailure) -> [StoredSignIn] { try cache.read(folder) }

  /// Makes sure that the next `write` finds room on the disk.
  func reserve() throws(SignInFailure) { room = try cache.room(folder) }

  /// Durable when this returns. Without sign-ins, there is no file.
  func write(_ signIns: [StoredSignIn]) throws(SignInFailure) {
    room = nil
    try cache.write(signIns, folder)
  }
}
