import Glibc
import TestSupport
import Testing

@testable import Support

@Suite struct NewFileTests {
  private let folder = TemporaryFolder()

  /// With a new file in the folder that has `text` in it.
  private func write(_ text: String, _ body: (NewFile) throws -> Void) throws {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(descriptor) }
    let file = try NewFile(in: descriptor, draft: ".draft")
    try file.append(Array(text.utf8))
    try body(file)
  }

  private var names: [String] { get throws { try Subprocess.run("/bin/ls", ["-A", folder.path]).output.lines } }

  private func text(_ name: String) throws -> String {
    String(decoding: try FileContents.read(folder.file(name)), as: UTF8.self)
  }

  @Test("A new file is invisible until it is named, and leaves nothing behind if it never is")
  func abandoned() throws {
    var during: [String] = ["none was asked"]
    try write("text") { _ in during = try names }
    #expect(during == [])
    #expect(try names == [])
  }

  @Test("A new file appears complete and with mode 600")
  func appears() throws {
    try write("text") { try $0.appear(as: "new") }
    var status = stat()
    #expect(stat(folder.file("new"), &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
    #expect(try text("new") == "text")
    #expect(try names == ["new"])
  }

  @Test("A new file leaves an existing file alone unless it is told to replace it")
  func taken() throws {
    folder.write("old", to: "file")
    try write("new") { file in #expect(throws: SystemError(number: EEXIST)) { try file.appear(as: "file") } }
    #expect(try text("file") == "old")
    #expect(try names == ["file"])
    try write("new") { file in
      try file.setMode(0o640)
      try file.replace("file")
    }
    #expect(try text("file") == "new")
    #expect(try names == ["file"])
  }

  @Test("A new file that cannot be named leaves nothing behind")
  func refused() throws {
    folder.write("text", to: "folder/file")
    try write("new") { file in #expect(throws: SystemError.self) { try file.replace("folder") } }
    #expect(try names == ["folder"])
  }
}

@Suite struct FileContentsTests {
  private let folder = TemporaryFolder()

  @Test("A file within the size limit is read whole, and a larger one is refused")
  func limit() throws {
    let path = folder.write(String(repeating: "x", count: 100_000), to: "file")
    #expect(try FileContents.read(path).count == 100_000)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(throws: SystemError(number: EFBIG)) { try FileContents.read(descriptor, limit: 99_999) }
    #expect(try FileContents.read(path, upTo: 100_000).count == 100_000)
  }

  @Test("Reading something that is not a file fails with the error of the system")
  func refusals() {
    #expect(throws: SystemError(number: ENOENT)) { try FileContents.read(folder.file("none")) }
    symlink(folder.file("none"), folder.file("dangling"))
    let error = #expect(throws: SystemError.self) { try FileContents.read(folder.file("dangling")) }
    #expect(error?.number == ENOENT)
    #expect(error?.text == "it is a symbolic link that leads nowhere")
    #expect(throws: SystemError(number: EISDIR)) { try FileContents.read(folder.path) }
  }
}

extension String {
  fileprivate var lines: [String] { split(separator: "\n").map(String.init) }
}
