import Glibc
import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// Kills processes that give a document another content, and looks at what is left.
@Suite(
  .enabled(if: ChildProcess.isPossible && ChildProcess.role == nil, "tests are no program of their own here"),
  .ownThreads)
struct ReplacementKillTests {
  @Test("Killing a replacement after any step leaves the old or the new file, and nothing else", arguments: 0...5)
  func steps(_ step: Int) throws {
    let documents = try DocumentFixture()
    let detail = "\(step) \(documents.path().text)"
    let child = try #require(ChildProcess(.replaceToStep, documents.fixture, detail: detail))
    #expect(child.waitForReport())
    #expect(!child.waitForEnd())
    #expect(try documents.names().count == (step < 4 ? 2 : 1))
    #expect(try documents.isWhole())
    #expect(documents.disk() == (step < 4 ? DocumentFixture.text : "new"))
  }

  @Test("Content that a killed process wrote beside a file is overwritten before it is removed")
  func overwritten() throws {
    let documents = try DocumentFixture()
    let path = documents.path().text
    let child = try #require(ChildProcess(.replaceToStep, documents.fixture, detail: "2 \(path)"))
    #expect(child.waitForReport())
    #expect(!child.waitForEnd())
    let name = try #require(documents.names().first { !path.hasSuffix("/" + $0) })
    // The content can still be read when the name is gone.
    let left = open(path.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + name, O_RDONLY | O_CLOEXEC)
    defer { close(left) }
    func content() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 3)
      return pread(left, &bytes, 3, 0) == 3 ? bytes : []
    }
    #expect(content() == Array("new".utf8))
    #expect(try documents.isWhole())
    #expect(content() != Array("new".utf8))
  }

  @Test("Killing a replacement at a random moment leaves the old or the new file, and nothing else")
  func moments() throws {
    #expect(try !isTorn(.replaceLoop, 12))
  }

  @Test("The check for torn files detects a file that is overwritten in place")
  func overwriting() throws {
    #expect(try isTorn(.overwriteLoop, 40))
  }

  /// Whether the document was ever neither the old nor the new one after the process was killed.
  private func isTorn(_ role: ChildProcess.Role, _ rounds: Int) throws -> Bool {
    let documents = try DocumentFixture()
    for round in 0..<rounds {
      let child = try #require(ChildProcess(role, documents.fixture, detail: documents.path().text))
      for _ in 0...(round % 3) { #expect(child.waitForReport()) }
      spin(microseconds: .random(in: 0..<3000))
      child.kill()
      if try !documents.isWhole() { return true }
    }
    return false
  }

  private func spin(microseconds: Int) {
    let end = ContinuousClock.now + .microseconds(microseconds)
    while ContinuousClock.now < end {}
  }
}

extension DocumentFixture {
  /// Whether a process that starts now finds the whole text or the whole new one, and leaves nothing beside it.
  fileprivate func isWhole() throws -> Bool {
    try fixture.core().refresh()
    #expect(try names() == ["document"])
    #expect(try number("SELECT count(*) FROM temporary_files") == 0)
    let text = try? content()
    return text == Self.text || text == "new"
  }
}

/// What the children of `ReplacementKillTests` run.
@Suite(.enabled(if: ChildProcess.role != nil, "run by other tests, in a process of its own"), .ownThreads)
struct ChildReplacementTests {
  private let core = Core(
    CoreConfiguration(
      stateFolder: StateFolder(root: ChildProcess.state, appId: "com.example.host"),
      tenant: .folder(ChildProcess.tenant)))
  private let alice = AccountReference.user("alice")

  @Test("A child process replaces a document up to a step", .enabled(if: ChildProcess.role == .replaceToStep))
  func steps() throws {
    let words = ChildProcess.detail.split(separator: " ", maxSplits: 1).map(String.init)
    let location = try FileLocation(#require(AbsolutePath(words[1])))
    let step = try #require(Int(words[0]))
    let replacement = try FileReplacement(of: location, core.refresh().files.temporary)
    reached(0, step)
    try replacement.fill { _, target throws(MAMError) in
      try Array("new".utf8).withRawBytes { bytes throws(MAMError) in try target.write(bytes, at: 0) }
      reached(1, step)
    }
    reached(2, step)
    try replacement.takeOver()
    reached(3, step)
    #expect(try replacement.commit())
    reached(4, step)
    try replacement.settle()
    reached(5, step)
  }

  private func reached(_ step: Int, _ last: Int) {
    guard step == last else { return }
    ChildProcess.report()
    kill(getpid(), SIGKILL)
  }

  @Test(
    "A child process encrypts and decrypts a document until it is killed",
    .enabled(if: ChildProcess.role == .replaceLoop))
  func loop() throws {
    let path = try #require(AbsolutePath(ChildProcess.detail))
    while true {
      try core.files.encrypt(path, for: alice)
      ChildProcess.report()
      try core.files.decrypt(path, to: nil)
      ChildProcess.report()
    }
  }

  @Test(
    "A child process overwrites a document in place until it is killed",
    .enabled(if: ChildProcess.role == .overwriteLoop))
  func overwriteLoop() throws {
    let file = try DiskFile(path: ChildProcess.detail, flags: O_RDWR)
    while true {
      for text in [DocumentFixture.text, "new"] {
        try file.truncate(to: 0)
        for byte in text.utf8.enumerated() {
          try [byte.element].withRawBytes { bytes throws(MAMError) in try file.write(bytes, at: byte.offset) }
        }
        ChildProcess.report()
      }
    }
  }

  @Test(
    "Encrypting beyond the limit of file sizes fails with EFBIG and leaves the file unchanged",
    .enabled(if: ChildProcess.role == .replaceOnFullDisk))
  func fullDisk() throws {
    let path = try #require(AbsolutePath(ChildProcess.detail))
    try core.refresh()
    let before = readFile(path.text)
    try withFileSizeLimit(8 << 20) {
      let error = failure { try core.files.encrypt(path, for: alice) }
      #expect(error?.code == .fileUnavailable)
      #expect(error?.fault?.number == EFBIG)
      #expect(error?.hint != nil)
    }
    #expect(readFile(path.text) == before)
    try core.files.encrypt(path, for: alice)
    #expect(try core.files.isEncrypted(path))
  }
}

@Suite(
  .enabled(if: ChildProcess.isPossible && ChildProcess.role == nil, "tests are no program of their own here"),
  .ownThreads)
struct ReplacementSpaceTests {
  @Test("A replacement that runs out of space keeps the file and removes the temporary one")
  func fullDisk() throws {
    let documents = try DocumentFixture()
    documents.write(String(repeating: "x", count: 9 << 20))
    let child = try #require(ChildProcess(.replaceOnFullDisk, documents.fixture, detail: documents.path().text))
    #expect(child.waitForEnd())
    #expect(try documents.names() == ["document"])
  }
}
