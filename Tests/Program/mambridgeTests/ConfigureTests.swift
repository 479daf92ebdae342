import Glibc
import JSON
import TestSupport
import Testing

@Suite struct ConfigureTests {
  private let folder = TemporaryFolder()
  private let info: String
  private let entitlements: String

  private static let text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
    \t<key>CFBundleIdentifier</key> <!-- the app -->
    \t<string>com.contoso.app</string>
    \t<key>CFBundleURLTypes</key>
    \t<array>
    \t\t<dict>
    \t\t\t<key>CFBundleURLSchemes</key>
    \t\t\t<array>
    \t\t\t\t<string>contoso</string>
    \t\t\t</array>
    \t\t</dict>
    \t</array>
    </dict>
    </plist>

    """

  init() {
    info = folder.write(Self.text, to: "Info.plist")
    entitlements = folder.write(
      """
      <plist><dict>
        <key>com.apple.security.application-groups</key><array><string>group.contoso</string></array>
        <key>keychain-access-groups</key><array><string>$(AppIdentifierPrefix)com.microsoft.intune.mam</string></array>
      </dict></plist>
      """, to: "App.entitlements")
  }

  private func configure(_ more: String...) throws -> Subprocess.Outcome {
    try Program.run(["configure", "-i", info, "-e", entitlements] + more)
  }

  private func text(_ path: String) -> String { String(decoding: readFile(path) ?? [], as: UTF8.self) }

  private var names: String {
    get throws { try Subprocess.run("/bin/ls", ["-A", folder.path]).lines.joined(separator: " ") }
  }

  @Test("configure edits Info.plist in place and lists the manual steps; a second run changes no byte")
  func inPlace() throws {
    chmod(info, 0o640)
    let first = try configure()
    #expect(first.status == 0)
    #expect(first.errors == "")
    #expect(
      first.lines.prefix(2) == [
        "edited: \(info): CFBundleURLTypes[0].CFBundleURLSchemes: contoso-intunemam",
        "edited: \(info): IntuneMAMSettings.AppGroupIdentifiers: group.contoso",
      ])
    #expect(first.output.contains("by hand: \(entitlements): keychain-access-groups: the first group"))
    #expect(first.output.contains("by hand: \(info): NSFaceIDUsageDescription: "))
    let edited = text(info)
    #expect(edited.contains("<!-- the app -->"))
    #expect(edited.contains("<!-- mambridge: copies of the URL schemes"))
    var status = stat()
    #expect(stat(info, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    let second = try configure()
    #expect(second.status == 0)
    #expect(!second.output.contains("edited"))
    #expect(text(info) == edited)
    #expect(try names == "App.entitlements Info.plist")
  }

  @Test("configure -o leaves the input file unchanged")
  func output() throws {
    let output = folder.file("Out.plist")
    #expect(try configure("-o", output).status == 0)
    #expect(text(info) == Self.text)
    #expect(text(output).contains("contoso-intunemam"))
    let again = try Program.run(["configure", "-i", output, "-e", entitlements, "-o", folder.file("Again.plist")])
    #expect(again.status == 0)
    #expect(text(folder.file("Again.plist")) == text(output))
  }

  @Test("configure --dry-run prints its edits as a patch and writes no file")
  func dryRun() throws {
    let patch = try configure("--dry-run")
    #expect(patch.status == 0)
    #expect(text(info) == Self.text)
    #expect(patch.output.hasPrefix("--- \(info)\n+++ \(info)\n@@ -9,8 +9,"))
    let copy = folder.write(Self.text, to: "Copy.plist")
    #expect(try Subprocess.run("/usr/bin/patch", ["--quiet", copy], input: patch.output).status == 0)
    #expect(try configure().status == 0)
    #expect(text(copy) == text(info))
    #expect(try configure("--dry-run") == Subprocess.Outcome(status: 0, output: "", errors: ""))
  }

  @Test("configure --check exits with 1 and lists what is missing, as text or as JSON")
  func check() throws {
    let words = try configure("--check")
    #expect(words.status == 1)
    #expect(text(info) == Self.text)
    #expect(words.lines.first == "missing: \(info): CFBundleURLTypes[0].CFBundleURLSchemes: contoso-intunemam")
    let json = try JSONValue(parsing: configure("--check", "--json").output)
    #expect(json["complete"] == false)
    let kinds = Set(json["findings"]?.arrayValue?.compactMap { $0["kind"]?.stringValue } ?? [])
    #expect(kinds == ["edit", "manual", "hint"])
  }

  @Test("configure --check exits with 0 if nothing is missing")
  func complete() throws {
    let groups = ["com.contoso.app", "com.microsoft.intune.mam", "com.microsoft.adalcache"].map {
      "<string>$(AppIdentifierPrefix)\($0)</string>"
    }
    folder.write(
      "<plist><dict><key>keychain-access-groups</key><array>\(groups.joined())</array></dict></plist>",
      to: "App.entitlements")
    folder.write(
      Self.text.replacing(
        "</dict>\n</plist>", with: "<key>NSFaceIDUsageDescription</key><string>x</string></dict></plist>"),
      to: "Info.plist")
    #expect(try configure().lines.allSatisfy { $0.hasPrefix("edited: ") })
    let check = try configure("--check")
    #expect(check.status == 0)
    #expect(check.lines.first == "nothing is missing")
  }

  @Test("configure --app adds a rule for the app's document types to an open-in extension")
  func openIn() throws {
    folder.write(
      """
      <plist><dict><key>CFBundleDocumentTypes</key><array><dict>
        <key>LSItemContentTypes</key><array><string>public.text</string></array>
      </dict></array></dict></plist>
      """, to: "App.plist")
    folder.write(
      """
      <plist><dict>
        <key>NSExtension</key><dict><key>NSExtensionAttributes</key><dict/></dict>
        <key>IntuneMAMSettings</key><dict><key>OpenInActionExtension</key><true/></dict>
      </dict></plist>
      """, to: "Info.plist")
    #expect(try configure("--app", folder.file("App.plist")).status == 0)
    #expect(text(info).contains("UTI-CONFORMS-TO \"com.microsoft.intune.mam.public.text\""))
  }

  @Test("configure moves the main storyboard only with --move-main-interface")
  func mainInterface() throws {
    folder.write("<plist><dict><key>UIMainStoryboardFile</key><string>Main</string></dict></plist>", to: "Info.plist")
    #expect(try configure().status == 0)
    #expect(text(info).contains("<key>UIMainStoryboardFile</key>"))
    #expect(try configure("--move-main-interface").status == 0)
    #expect(!text(info).contains("<key>UIMain"))
    #expect(text(info).contains("<key>MainStoryboardFile</key>"))
  }

  @Test("configure leaves a malformed property list unchanged and reports the line and column")
  func malformed() throws {
    let broken = Self.text.replacing("</array>", with: "</aray>")
    folder.write(broken, to: "Info.plist")
    let outcome = try configure()
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(text(info) == broken)
    #expect(outcome.errors.hasPrefix("mambridge: \(info):12:11: "), "\(outcome.errors)")
    folder.write(Self.text, to: "Info.plist")
    folder.write("<plist>", to: "App.entitlements")
    #expect(try configure().status == 1)
    #expect(text(info) == Self.text)
  }

  @Test(
    "configure reports a file that it cannot read or write, and changes nothing",
    arguments: [
      (["-i", "missing"], "cannot read missing: No such file"), (["-e", "missing"], "cannot read missing"),
      (["--app", "/"], "cannot read /: Is a directory"), (["-o", "/missing/x"], "cannot write /missing/x"),
      (["-o", "/dev/full"], "cannot write /dev/full: it is not a regular file"),
    ])
  func unusable(arguments: [String], message: String) throws {
    let outcome = try Program.run(["configure", "-i", info, "-e", entitlements] + arguments)
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.output == "", "\(outcome)")
    #expect(outcome.errors.contains(message), "\(outcome)")
    #expect(text(info) == Self.text)
    #expect(try names == "App.entitlements Info.plist")
  }

  @Test("configure keeps the old file if a write exceeds the file size limit and SIGXFSZ is ignored")
  func fullDisk() throws {
    let script = "ulimit -f 1; trap '' XFSZ; exec \"$0\" \"$@\""
    let large = Self.text + String(repeating: "<!-- ........................................ -->\n", count: 100)
    folder.write(large, to: "Info.plist")
    let outcome = try Subprocess.run(
      "/bin/bash", ["-c", script, Program.path, "configure", "-i", info, "-e", entitlements])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("cannot write \(info): File too large"))
    #expect(text(info) == large)
    #expect(try names == "App.entitlements Info.plist")
  }

  @Test("configure exits with 1 and keeps the old file if a write exceeds the file size limit")
  func cutOff() throws {
    let large = Self.text + String(repeating: "<!-- ........................................ -->\n", count: 100)
    folder.write(large, to: "Info.plist")
    let script = "ulimit -f 1; exec \"$0\" \"$@\""
    let outcome = try Subprocess.run(
      "/bin/bash", ["-c", script, Program.path, "configure", "-i", info, "-e", entitlements])
    #expect(outcome.status == 1, "\(outcome)")
    #expect(outcome.errors.contains("File too large"), "\(outcome)")
    #expect(text(info) == large)
    #expect(try names == "App.entitlements Info.plist")
  }

  @Test(
    "configure exits with 64 and explains what is wrong with the command line",
    arguments: [
      ([], "-i PATH"), (["-i", "x"], "-e PATH"), (["-i", "x", "-e", "y", "--json"], "--check"),
      (["-i", "x", "-e", "y", "--check", "--dry-run"], "together"),
      (["-i", "x", "-e", "y", "--check", "-o", "z"], "--output"),
      (["-generateOpenInIcons", "App.app", "-o", "icons"], "not supported"),
    ])
  func usage(arguments: [String], message: String) throws {
    let outcome = try Program.run(["configure"] + arguments)
    #expect(outcome.status == 64, "\(outcome)")
    #expect(outcome.errors.contains(message), "\(outcome)")
  }
}
