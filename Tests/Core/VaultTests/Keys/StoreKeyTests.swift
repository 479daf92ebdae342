import Cryptography
import Glibc
import Model
import TestSupport
import Testing

@testable import Vault

@Suite struct StoreKeyTests {
  let device: Device

  init() throws {
    device = try Device()
    _ = try device.keys().storeID
  }

  private func open(_ secret: RootSecretSource = .keyFile) -> MAMError? {
    failure { _ = try device.keys(secret: secret).newestKey(.device) }
  }

  @Test("Only the owner can read root.key and store.key, and the store id stays the same")
  func files() throws {
    for path in [device.rootFile, device.storeFile] {
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      #expect(status.st_nlink == 1)
    }
    let id = try device.keys().storeID
    #expect(id.count == 36)
    #expect(try device.keys().storeID == id)
    #expect(open() == nil)
    #expect(try device.keys().storeID == id)
  }

  @Test("A different key file is reported as the wrong secret")
  func wrongSecret() {
    write([UInt8](repeating: 7, count: 32), to: device.rootFile)
    #expect(open()?.code == .wrongSecret)
  }

  @Test("A store without its key file fails with noSecret, and no new key file is created")
  func noSecret() throws {
    let page = readFile(device.storeFile)
    unlink(device.rootFile)
    #expect(open()?.code == .noSecret)
    #expect(open()?.path == device.rootFile)
    #expect(access(device.rootFile, F_OK) != 0)
    #expect(readFile(device.storeFile) == page)
  }

  @Test("A key file that is not 32 bytes long is reported as damaged", arguments: [0, 31, 33])
  func damagedSecret(length: Int) {
    write([UInt8](repeating: 7, count: length), to: device.rootFile)
    #expect(
      open()?.code == .damaged && open()?.message == "a key file is damaged: it has \(length) bytes instead of 32")
    #expect(open()?.path == device.rootFile)
  }

  @Test(
    "A store key file with an invalid format is reported as damaged",
    arguments: [0, 8, 9, 10, 11, 12, 32, 64, 79, 140, 4095])
  func damagedPage(index: Int) throws {
    var page = try #require(readFile(device.storeFile))
    page[index] ^= 0x04
    write(page, to: device.storeFile)
    #expect(open()?.code == .damaged)
  }

  @Test(
    "A store key file that fails authentication is reported as the wrong secret",
    arguments: [16, 31, 80, 92, 124, 139])
  func changedPage(index: Int) throws {
    var page = try #require(readFile(device.storeFile))
    page[index] ^= 0x04
    write(page, to: device.storeFile)
    #expect(open()?.code == .wrongSecret)
  }

  @Test(
    "A store key file of the wrong length is reported as damaged, and no root key is created",
    arguments: [0, 140, 4095, 4097])
  func truncatedPage(length: Int) throws {
    let page = try #require(readFile(device.storeFile))
    write(Array((page + [0])[..<length]), to: device.storeFile)
    unlink(device.rootFile)
    #expect(open()?.code == .damaged)
    #expect(access(device.rootFile, F_OK) != 0)
  }

  @Test(
    "A root or store key that others can access is refused with a chmod command",
    arguments: [0o640, 0o604, 0o660] as [mode_t])
  func openToOthers(mode: mode_t) {
    for path in [device.rootFile, device.storeFile] {
      chmod(path, mode)
      let error = open()
      #expect(error?.code == .wrongPermissions)
      #expect(error?.hint == "chmod 600 '\(path)'")
      chmod(path, 0o600)
    }
    #expect(open() == nil)
  }

  @Test("A key file that is a link or has two names is refused with a command that repairs it")
  func links() throws {
    for path in [device.rootFile, device.storeFile] {
      link(path, path + "2")
      #expect(open()?.code == .wrongPermissions)
      unlink(path)
      symlink(path + "2", path)
      let error = open()
      #expect(error?.code == .wrongPermissions)
      #expect(error?.hint == "cp '\(path)' '\(path).copy' && chmod 600 '\(path).copy' && mv '\(path).copy' '\(path)'")
      unlink(path)
      rename(path + "2", path)
      #expect(open() == nil)
    }
  }

  @Test("A key file of another user is refused", .enabled(if: Privileges.isRoot, "only root can give files away"))
  func otherUser() {
    chown(device.rootFile, 65534, 65534)
    #expect(open()?.code == .wrongPermissions)
    #expect(open()?.path == device.rootFile)
  }

  @Test("A pipe or folder in place of a key file is refused without blocking, and named as such")
  func otherKinds() {
    for (path, code) in [(device.rootFile, ErrorCode.noSecret), (device.storeFile, .damaged)] {
      unlink(path)
      mkfifo(path, 0o600)
      #expect(open()?.code == code)
      #expect(open()?.path == path)
      #expect(open()?.message == "cannot read the key file: it is a pipe, a socket or a device")
      unlink(path)
      mkdir(path, 0o700)
      #expect(open()?.code == code)
      #expect(open()?.message == "cannot read the key file: it is a folder")
      rmdir(path)
    }
  }

  @Test("Temporary key files of a killed process do not prevent the creation of a store")
  func leftovers() throws {
    let other = try Device()
    write([1, 2, 3], to: other.rootFile + ".new")
    write([1, 2, 3], to: other.storeFile + ".new")
    _ = try other.keys().newestKey(.device)
    #expect(access(other.rootFile + ".new", F_OK) != 0)
    #expect(access(other.storeFile + ".new", F_OK) != 0)
  }

  @Test("Only its passphrase opens a store sealed with a passphrase, and no key file is created")
  func passphrase() throws {
    let other = try Device()
    let right = try RootSecretSource.quickPassphrase("correct horse")
    let id = try other.keys(secret: right).newestKey(.device).id
    #expect(try other.keys(secret: right).newestKey(.device).id == id)
    let wrong = try RootSecretSource.quickPassphrase("correct horsf")
    #expect(code { _ = try other.keys(secret: wrong).newestKey(.device) } == .wrongSecret)
    #expect(code { _ = try other.keys().newestKey(.device) } == .noSecret)
    #expect(access(other.rootFile, F_OK) != 0)
    #expect(open(right)?.code == .wrongSecret)
  }
}
