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

  @Test("The files are the user's alone, and the store keeps its name")
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

  @Test("Another key file is a wrong secret")
  func wrongSecret() {
    write([UInt8](repeating: 7, count: 32), to: device.rootFile)
    #expect(open()?.code == .wrongSecret)
  }

  @Test("A store without its key file has no secret, and gets no new one")
  func noSecret() throws {
    let page = readFile(device.storeFile)
    unlink(device.rootFile)
    #expect(open()?.code == .noSecret)
    #expect(open()?.path == device.rootFile)
    #expect(access(device.rootFile, F_OK) != 0)
    #expect(readFile(device.storeFile) == page)
  }

  @Test("A key file of another length is damaged", arguments: [0, 31, 33])
  func damagedSecret(length: Int) {
    write([UInt8](repeating: 7, count: length), to: device.rootFile)
    #expect(
      open()?.code == .damaged && open()?.message == "a key file is damaged: it has \(length) bytes instead of 32")
    #expect(open()?.path == device.rootFile)
  }

  @Test(
    "A page of the store key that does not parse is damaged",
    arguments: [0, 8, 9, 10, 11, 12, 32, 64, 79, 140, 4095])
  func damagedPage(index: Int) throws {
    var page = try #require(readFile(device.storeFile))
    page[index] ^= 0x04
    write(page, to: device.storeFile)
    #expect(open()?.code == .damaged)
  }

  @Test(
    "A page of the store key whose tag fails cannot be told from a wrong secret",
    arguments: [16, 31, 80, 92, 124, 139])
  func changedPage(index: Int) throws {
    var page = try #require(readFile(device.storeFile))
    page[index] ^= 0x04
    write(page, to: device.storeFile)
    #expect(open()?.code == .wrongSecret)
  }

  @Test("A store key of another length is damaged, and nothing is created beside it", arguments: [0, 140, 4095, 4097])
  func truncatedPage(length: Int) throws {
    let page = try #require(readFile(device.storeFile))
    write(Array((page + [0])[..<length]), to: device.storeFile)
    unlink(device.rootFile)
    #expect(open()?.code == .damaged)
    #expect(access(device.rootFile, F_OK) != 0)
  }

  @Test(
    "A key file for others' eyes is refused, with the command that mends it",
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

  @Test("A link, or a file with two names, is refused with the command that mends it")
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

  @Test("Another user's file is refused", .enabled(if: Privileges.isRoot, "only root can give files away"))
  func otherUser() {
    chown(device.rootFile, 65534, 65534)
    #expect(open()?.code == .wrongPermissions)
    #expect(open()?.path == device.rootFile)
  }

  @Test("A pipe or folder in place of a key file does not stop the program, and is not called damaged")
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

  @Test("What a killed process leaves does not stop the next")
  func leftovers() throws {
    let other = try Device()
    write([1, 2, 3], to: other.rootFile + ".new")
    write([1, 2, 3], to: other.storeFile + ".new")
    _ = try other.keys().newestKey(.device)
    #expect(access(other.rootFile + ".new", F_OK) != 0)
    #expect(access(other.storeFile + ".new", F_OK) != 0)
  }

  @Test("A passphrase opens what it made; another, or none, does not, and no key file is made")
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
