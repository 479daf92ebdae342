import Glibc
import TestSupport
import Testing

@testable import Transport

private let digits = String(repeating: "0a", count: 32)

@Suite("The token file")
struct TokenFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("token") }

  @Test("A new token file has 64 hex digits and mode 0600")
  func makes() throws {
    let file = try TokenFile(path: path)
    let token = try file.token()
    #expect(token.utf8.count == 64)
    #expect(token.allSatisfy { $0.isHexDigit && !$0.isUppercase })
    #expect(file.isToken(token))
    var status = stat()
    stat(path, &status)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(status.st_nlink == 1)
    #expect(names() == ["token"])
  }

  @Test("A token file is made once, and its token is shared by all servers and clients")
  func shares() throws {
    let first = try TokenFile(path: path)
    let second = try TokenFile(path: path)
    let client = try TokenFile(reading: path)
    #expect(try first.token() == second.token())
    #expect(try first.token() == client.token())
  }

  @Test("If many servers make the token file at once, all of them use the same token")
  func race() throws {
    let threads = (0..<16).map { _ in TestThread { [path] in try? TokenFile(path: path).token() } }
    let tokens = Set(threads.map { $0.join() })
    #expect(tokens.count == 1)
    #expect(tokens.first != .some(nil))
    #expect(names() == ["token"])
  }

  @Test("A cached token is dropped when its file is replaced, made readable to others or removed")
  func kept() throws {
    var file = try TokenFile(path: path)
    file.settlingSeconds = 0
    let old = try file.token()
    for _ in 0..<2 { #expect(file.isToken(old)) }
    chmod(path, 0o644)
    #expect(!file.isToken(old))
    chmod(path, 0o600)
    #expect(file.isToken(old))
    folder.write(digits, to: "new")
    chmod(folder.file("new"), 0o600)
    rename(folder.file("new"), path)
    #expect(!file.isToken(old))
    #expect(file.isToken(digits))
    unlink(path)
    #expect(!file.isToken(digits))
  }

  @Test("A replaced token is valid at once, and the old one no longer is")
  func rotates() throws {
    let file = try TokenFile(path: path)
    let old = try file.token()
    folder.write(digits, to: "token")
    #expect(!file.isToken(old))
    #expect(file.isToken(digits))
    unlink(path)
    #expect(!file.isToken(digits))
  }

  @Test(
    "Only the exact text of the token is accepted",
    arguments: [
      "", " ", digits.uppercased(), String(digits.dropLast()), digits + "0", digits + "\n", " " + digits,
      String(repeating: "0b", count: 32), String(repeating: "x", count: 100_000),
    ])
  func wrong(_ text: String) throws {
    folder.write(digits + "\n", to: "token")
    chmod(path, 0o600)
    let file = try TokenFile(path: path)
    #expect(!file.isToken(text))
    #expect(file.isToken(digits))
  }

  @Test("A token file open to others is refused", arguments: [0o640, 0o604, 0o660, 0o700 | 0o010, 0o602] as [mode_t])
  func openToOthers(_ mode: mode_t) throws {
    folder.write(digits, to: "token")
    chmod(path, 0o600)
    let file = try TokenFile(path: path)
    chmod(path, mode)
    #expect(!file.isToken(digits))
    #expect(throws: TokenFile.Failure.openToOthers(path: path)) { try TokenFile(path: path) }
    #expect(throws: TokenFile.Failure.openToOthers(path: path)) { try TokenFile(reading: path) }
  }

  @Test(
    "A token file that contains anything but a token is refused",
    arguments: [
      "", "\n", String(digits.dropLast()), digits + "0", digits + "\n\n", digits + " ", "g" + digits.dropFirst(),
      "\n" + digits, digits + "\nmore",
    ])
  func malformed(_ text: String) {
    folder.write(text, to: "token")
    chmod(path, 0o600)
    #expect(throws: TokenFile.Failure.malformed(path: path)) { try TokenFile(path: path) }
  }

  @Test("A folder, a pipe or a symbolic link in place of the token file is refused")
  func noFile() {
    mkdir(folder.file("folder"), 0o700)
    mkfifo(folder.file("pipe"), 0o600)
    symlink(folder.write(digits, to: "target"), folder.file("link"))
    for name in ["folder", "pipe", "link"] {
      #expect(throws: TokenFile.Failure.self) { try TokenFile(path: folder.file(name)) }
    }
  }

  @Test("Checking a token leaves no descriptor open, whatever is at the path of the token file")
  func descriptors() throws {
    let file = try TokenFile(path: path)
    let looks: [(String, () -> Void)] = [
      ("right", { _ = file.isToken("right") }), ("open to others", { [path] in chmod(path, 0o644) }),
      (
        "a folder",
        { [path] in
          unlink(path)
          mkdir(path, 0o700)
        }
      ), ("gone", { [path] in rmdir(path) }),
    ]
    for (what, prepare) in looks {
      prepare()
      let before = openDescriptorCount()
      for _ in 0..<100 { _ = file.isToken(digits) }
      #expect(openDescriptorCount() < before + 20, "\(what)")
    }
  }

  @Test("A client does not make a missing token file")
  func clientReads() {
    #expect(throws: TokenFile.Failure.cannotRead(path: path, errno: ENOENT)) { try TokenFile(reading: path) }
    #expect(names() == [])
  }

  @Test("A token file in a missing folder is an error that names the path")
  func noFolder() {
    let path = folder.file("missing/token")
    #expect(throws: TokenFile.Failure.cannotCreate(path: path, errno: ENOENT)) { try TokenFile(path: path) }
  }

  private func names() -> [String] {
    guard let entries = opendir(folder.path) else { return [] }
    defer { closedir(entries) }
    var names: [String] = []
    while let entry = readdir(entries) {
      names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }
}

extension TokenFile {
  fileprivate func isToken(_ text: String) -> Bool { Array(text.utf8).withUnsafeBufferPointer { isToken($0) } }
}
