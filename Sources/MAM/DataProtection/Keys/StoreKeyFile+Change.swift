import Cryptography
import Model

/// Another root secret for the same store key. A key file that takes the place of another lies beside it, as
/// `<name>.next`, until store.key hangs on it: whenever the process is killed, one of the two opens the store.
extension StoreKeyFile {
  /// Rewrites store.key alone, at once; nothing that it seals changes, so whoever has opened the store goes on. The key
  /// file in the state folder is made anew, and destroyed when it is no longer needed; one elsewhere is kept, unless it
  /// takes its own place.
  func change(to new: RootSecretSource) throws(MAMError) {
    try Folder.withLock(folder.keys) { () throws(MAMError) in
      guard let page = try file.bytes(count: KeyPage.size) else { throw .noStore(file.path) }
      let key = try unwrapUnderLock(page)
      guard let header = StoreKeyHeader(page: page) else { throw .damagedKey(file.path) }
      try StoreKeyFile(folder: folder, source: new).take(key, of: header, from: RootSecret(source, folder))
    }
  }

  /// A process may have read store.key before a change and the key file after it, or find a change that was cut off.
  func openAfterChange(of page: [UInt8], failure: MAMError) throws(MAMError) -> StoreKey {
    try Folder.withLock(folder.keys) { () throws(MAMError) in
      let newPage = try file.bytes(count: KeyPage.size)
      guard let newPage, newPage != page || source.mode == .keyFile else { throw failure }
      return try unwrapUnderLock(newPage)
    }
  }

  /// Finishes a change that was cut off behind its commit.
  private func unwrapUnderLock(_ page: [UInt8]) throws(MAMError) -> StoreKey {
    do throws(MAMError) {
      return try unwrap(page)
    } catch {
      guard let header = StoreKeyHeader(page: page), header.mode == .keyFile,
        let file = RootSecret(source, folder).file, let secret = try? file.next.secret(count: KeyPage.keyLength),
        let key = try? unwrap(page, header, with: secret)
      else { throw error }
      try file.next.move(to: file)
      return key
    }
  }

  private func take(_ key: StoreKey, of old: StoreKeyHeader, from former: RootSecret) throws(MAMError) {
    try source.checkStrength()
    let root = RootSecret(source, folder)
    let header = try MAMError.keys { () throws(CryptographyError) in try StoreKeyHeader(old, source) }
    let standard = RootSecret.standardFile(in: folder)
    if let rootFile = root.file, [standard, former.file].contains(where: { $0?.isSame(as: rootFile) ?? false }) {
      let secret = try RootSecret.random()
      try rootFile.next.create(secret)
      try file.create(try page(of: key.secret, header, under: secret))
      try rootFile.next.move(to: rootFile)
    } else {
      try root.createFile()
      try file.create(try page(of: key.secret, header, under: try root.secret(for: header)))
      if root.file?.isSame(as: standard) != true { try standard.destroy() }
    }
  }
}

extension KeyFile {
  fileprivate var next: KeyFile { KeyFile(path: path + ".next") }

  fileprivate func isSame(as other: KeyFile) -> Bool { path == other.path || Folder.isSame(path, other.path) }
}
