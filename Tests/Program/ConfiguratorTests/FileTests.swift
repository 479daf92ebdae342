import Glibc
import PropertyList
import TestSupport
import Testing

@testable import Configurator

@Suite struct FileTests {
  private let folder = TemporaryFolder()

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  private func names() throws -> String { try Subprocess.run("/bin/ls", ["-A", folder.path]).output }

  @Test("replaceFile replaces a file, keeps its mode and leaves no temporary file")
  func replace() throws {
    let path = folder.write("old", to: "Info.plist")
    chmod(path, 0o640)
    try replaceFile(path, with: Array("new".utf8), modeOf: path)
    #expect(readFile(path) == Array("new".utf8))
    #expect(mode(path) == 0o640)
    #expect(try names() == "Info.plist\n")
  }

  @Test("replaceFile gives a new file the mode of its model")
  func create() throws {
    let model = folder.write("old", to: "Info.plist")
    chmod(model, 0o604)
    try replaceFile(folder.file("Out.plist"), with: Array("new".utf8), modeOf: model)
    #expect(mode(folder.file("Out.plist")) == 0o604)
    #expect(readFile(model) == Array("old".utf8))
  }

  @Test("replaceFile replaces the file behind a symbolic link and keeps the link")
  func link() throws {
    let path = folder.write("old", to: "real/Info.plist")
    symlink("real/Info.plist", folder.file("link"))
    try replaceFile(folder.file("link"), with: Array("new".utf8), modeOf: path)
    #expect(readFile(path) == Array("new".utf8))
    var status = stat()
    #expect(lstat(folder.file("link"), &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test("replaceFile refuses a folder, a device and a path in a missing folder")
  func noFile() {
    for path in [folder.path, folder.file("missing/Info.plist"), "/dev/null"] {
      let error = #expect(throws: ConfiguratorError.self) {
        try replaceFile(path, with: [], modeOf: folder.path)
      }
      #expect(error?.path == path)
    }
  }

  @Test("replaceFile reports denied permission and keeps the old file", .enabled(if: geteuid() != 0, "root may"))
  func noPermission() throws {
    let path = folder.write("old", to: "Info.plist")
    chmod(path, 0o444)
    #expect(throws: ConfiguratorError(.unwritable("Permission denied"), path: path)) {
      try replaceFile(path, with: Array("new".utf8), modeOf: path)
    }
    chmod(path, 0o644)
    chmod(folder.path, 0o500)
    defer { chmod(folder.path, 0o700) }
    #expect(throws: ConfiguratorError(.unwritable("Permission denied"), path: path)) {
      try replaceFile(path, with: Array("new".utf8), modeOf: path)
    }
    #expect(readFile(path) == Array("old".utf8))
  }

  @Test("PropertyListFile reports that a path is missing or is a folder")
  func unreadable() {
    #expect(throws: ConfiguratorError(.unreadable("No such file or directory"), path: "/missing")) {
      try PropertyListFile(path: "/missing")
    }
    #expect(throws: ConfiguratorError(.unreadable("Is a directory"), path: "/")) { try PropertyListFile(path: "/") }
  }

  @Test(
    "PropertyListFile rejects text that is not a property list with a dictionary, and says where",
    arguments: [
      ("<plist><dict>\n<key>a</key></dict></plist>", "Info.plist:2:20: found </dict>, but expected a value"),
      ("<plist><array/></plist>", "Info.plist: the top level must be a dictionary"),
      ("", "Info.plist: this is not a property list, neither XML nor binary"),
      ("<plist>", "Info.plist:1:8: unexpected end of the text"),
      ("\u{FEFF}<plist><dict>", "Info.plist:1:15: unexpected end of the text"),
      ("<plist><dict/></plist>x", "Info.plist:1:23: unexpected text after </plist>"),
      ("bplist00", "Info.plist: the binary property list is damaged"),
      ("{}", "Info.plist: this is not a property list, neither XML nor binary"),
    ])
  func malformed(text: String, message: String) throws {
    let error = try #require(throws: ConfiguratorError.self) { try Sample.file(text) }
    #expect(error.message == message)
  }

  @Test("configure checks a binary property list, but does not edit it")
  func binary() throws {
    // {"a": "b"}
    let bytes: [UInt8] =
      Array("bplist00".utf8) + [0xD1, 1, 2, 0x51, 0x61, 0x51, 0x62, 8, 11, 13, 0, 0, 0, 0, 0, 0, 1, 1]
      + [0, 0, 0, 0, 0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 15]
    let info = try PropertyListFile(path: "Info.plist", bytes: bytes)
    #expect(info.root == ["a": "b"])
    let bundle = Bundle(info: info, entitlements: try Sample.file(Sample.plist()))
    #expect(try Configurator().check(bundle).contains { $0.kind == .edit })
    let changes = try Configurator().changes(of: bundle)
    #expect(throws: ConfiguratorError(.binary, path: "Info.plist")) {
      try Configurator().text(of: info, with: changes)
    }
  }
}
