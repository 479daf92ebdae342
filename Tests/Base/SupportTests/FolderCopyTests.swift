import Glibc
import Support
import TestSupport
import Testing

@Suite struct FolderCopyTests {
  private let folder = TemporaryFolder()
  private var copy: String { folder.file("copy") }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  @Test("FolderCopy copies files and subfolders, which only the user can read then")
  func copies() throws {
    let text = String(repeating: "text", count: 100_000)
    chmod(folder.write(text, to: "original/subfolder/file"), 0o644)
    try FolderCopy.make(of: folder.file("original"), at: copy)
    #expect(try FileContents.read(copy + "/subfolder/file") == Array(text.utf8))
    #expect(mode(copy + "/subfolder/file") == 0o600)
    #expect(mode(copy + "/subfolder") == 0o700)
  }

  @Test("FolderCopy leaves out symbolic links and pipes")
  func links() throws {
    folder.write("secret", to: "elsewhere/file")
    folder.write("text", to: "original/file")
    symlink(folder.file("elsewhere"), folder.file("original/folder"))
    symlink(folder.file("elsewhere/file"), folder.file("original/link"))
    mkfifo(folder.file("original/pipe"), 0o600)
    try FolderCopy.make(of: folder.file("original"), at: copy)
    #expect(try Subprocess.run("/bin/ls", ["-A", copy]).output == "file\n")
  }

  @Test("FolderCopy never writes into an existing folder")
  func taken() {
    folder.write("text", to: "original/file")
    folder.write("own", to: "copy/file")
    let error = #expect(throws: FolderCopy.Failure.self) { try FolderCopy.make(of: folder.file("original"), at: copy) }
    #expect(error?.error.number == EEXIST)
    #expect(error?.path == copy)
  }
}
