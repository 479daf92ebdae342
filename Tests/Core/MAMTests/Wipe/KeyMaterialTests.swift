import Cryptography
import Glibc
import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// What a process that has opened nothing finds in the files of the state.
@Suite(.timeLimit(.minutes(5))) struct KeyMaterialTests {
  @Test("After a wipe, no file of the state contains a key of the account, encrypted or not")
  func scan() async throws {
    let world = try WipeFixture()
    let (wrapped, plain, others) = try materials(world)
    #expect(wrapped.count == 2)
    #expect(plain.count == 2)
    #expect(others.count == 2)
    for bytes in wrapped + others { #expect(try isFound(bytes, in: world)) }
    for bytes in plain { #expect(try !isFound(bytes, in: world)) }
    #expect(try await world.core.wipe("alice") == 104)
    for bytes in wrapped + plain { #expect(try !isFound(bytes, in: world)) }
    for bytes in others { #expect(try isFound(bytes, in: world)) }
  }

  @Test("A wipe overwrites keys in place and removes new keys that a killed process left")
  func overwritten() async throws {
    let world = try WipeFixture()
    let folder = world.fixture.state.keys
    let wrapped = try sealed(try keys(of: "alice", world), world)
    let paths = try Folder.names(folder).map { "\(folder)/\($0)" }.filter { path in
      readFile("\(path)/1.key").map { page in wrapped.contains { page.holds($0) } } ?? false
    }
    #expect(paths.count == 2)
    let files = try paths.map { try DiskFile(path: "\($0)/1.key", flags: O_RDONLY) }
    for path in paths {
      let page = try #require(readFile("\(path)/1.key"))
      let left = open("\(path)/2.key.new", O_WRONLY | O_CREAT, 0o600)
      #expect(Glibc.write(left, page, page.count) == page.count)
      #expect(close(left) == 0)
    }
    #expect(try await world.core.wipe("alice") == 104)
    for file in files { #expect(try wrapped.allSatisfy { !(try file.start(count: 4096)).holds($0) }) }
    for bytes in wrapped { #expect(try !isFound(bytes, in: world)) }
  }

  @Test("Copies of files that were made before a wipe cannot be opened after it")
  func copies() async throws {
    let world = try WipeFixture()
    let copies = ["alice app", "alice shared"]
    for name in copies {
      let copy = world.documents.folder.file("copy of \(name)")
      #expect(try Subprocess.run("/bin/cp", ["-a", world.documents.folder.file(name), copy]).status == 0)
    }
    #expect(try await world.core.wipe("alice") == 104)
    for core in [world.core, try world.newCore()] {
      if try core.account("alice") == nil { #expect(try core.enroll("alice") == 100) }
      for name in copies {
        let path = world.documents.path("copy of \(name)")
        #expect(code { _ = try core.files.open(path, [.readOnly]) } == .noFileKey)
        #expect(code { try core.files.decrypt(path, to: nil) } != nil)
      }
    }
  }

  /// The sealed part of alice's key pages, her keys themselves, and the sealed part of frank's pages.
  private func materials(_ world: WipeFixture) throws -> (wrapped: [[UInt8]], plain: [[UInt8]], others: [[UInt8]]) {
    let (alice, frank) = (try keys(of: "alice", world), try keys(of: "frank", world))
    let plain = alice.map { key in key.secret.withRawBytes { Array($0) } }
    return (try sealed(alice, world), plain, try sealed(frank, world))
  }

  private func keys(of user: String, _ world: WipeFixture) throws -> [IdentityKey] {
    let account = try #require(try world.core.account(user)).account
    return try [.app("com.example.host"), .shared].map { scope in
      try world.core.refresh().keys.newestKey(try #require(KeyName(DataOwner(account), scope)))
    }
  }

  private func sealed(_ keys: [IdentityKey], _ world: WipeFixture) throws -> [[UInt8]] {
    let folder = world.fixture.state.keys
    let pages = try Folder.names(folder).filter { Folder.exists("\(folder)/\($0)") }
      .compactMap { readFile("\(folder)/\($0)/1.key") }
    return pages.filter { page in keys.contains { $0.id.bytes == Array(page[16..<32]) } }.map { Array($0[76..<124]) }
  }

  /// Another process reads the files.
  private func isFound(_ bytes: [UInt8], in world: WipeFixture) throws -> Bool {
    let copy = TemporaryFolder()
    #expect(try Subprocess.run("/bin/cp", ["-r", world.fixture.state.root, copy.path]).status == 0)
    let files = try Subprocess.run("/usr/bin/find", [copy.path, "-type", "f"]).output.split(separator: "\n")
    #expect(files.count > 5)
    return files.contains { readFile(String($0))?.holds(bytes) ?? false }
  }
}

extension [UInt8] {
  fileprivate func holds(_ bytes: [UInt8]) -> Bool {
    withUnsafeBytes { own in
      guard own.count >= bytes.count else { return false }
      return (0...own.count - bytes.count).contains { start in
        own[start] == bytes[0] && own[start..<start + bytes.count].elementsEqual(bytes)
      }
    }
  }
}
