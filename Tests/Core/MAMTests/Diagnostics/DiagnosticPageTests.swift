import Cryptography
import JSON
import Model
import Support
import TestSupport
import Testing

@testable import MAM

@Suite(.timeLimit(.minutes(5))) struct DiagnosticPageTests {
  private static let hostile = "\"></script><script src='https://evil.example/x.js'></script><!--<img src=x onerror=y>&"

  /// Of alice in the sample tenant, with a line that is no friend of markup.
  private static let page: Result<String, MAMError> = {
    let folder = TemporaryFolder()
    let configuration = CoreConfiguration(
      stateFolder: StateFolder(root: folder.file("state"), appId: "com.example.test"), tenant: .sample,
      clock: ManualClock(startingAt: Timestamp(milliseconds: 1_780_000_000_000)))
    let core = Core(configuration)
    do throws(MAMError) {
      _ = try core.checkIns.registerAndEnroll(AccountReference("alice@contoso.example"))
      try core.refresh().log.writeFromHost(.error, category: nil, message: hostile)
      try core.refresh().log.writeFromHost(.error, category: nil, message: "a\u{202E}b")
      return .success(DiagnosticPage(report: try core.diagnostics.report(version: "1", sdkVersion: "2")).text)
    } catch {
      return .failure(error)
    }
  }()

  private let page: String
  private let tags: [PageTag]
  private let report: JSONValue

  init() throws {
    page = try Self.page.get()
    tags = PageTag.all(in: page)
    let data = Self.content(of: "script type=\"application/json\" id=\"report\"", in: page)
    report = try JSONValue(parsing: #require(data))
  }

  private static func content(of start: String, in page: String) -> String? {
    let name = start.prefix { $0 != " " }
    return page.split(separator: "<\(start)>").dropFirst().first?.split(separator: "</\(name)>").first.map(String.init)
  }

  @Test("Every element of the diagnostics page is closed within its parent")
  func nesting() {
    var open: [String] = []
    for tag in tags where !["meta", "!doctype"].contains(tag.name) {
      if tag.isEnd {
        #expect(open.popLast() == tag.name)
      } else {
        open.append(tag.name)
      }
    }
    #expect(open == [])
    #expect(page.hasPrefix("<!doctype html>"))
  }

  @Test("The diagnostics page loads nothing and has no links")
  func links() {
    for tag in tags {
      #expect(!["link", "iframe", "img", "object", "base", "a"].contains(tag.name))
      #expect(!tag.attributes.keys.contains { $0.hasPrefix("on") || ["src", "href", "style"].contains($0) })
    }
    // The name of a vocabulary is no address.
    let text = page.replacing("\"http://www.w3.org/2000/svg\"", with: "")
    for word in ["url(", "@import", "http:", "fetch(", "XMLHttpRequest", "import("] { #expect(!text.contains(word)) }
  }

  @Test("The content policy of the diagnostics page allows only its own style and script, by digest")
  func contentPolicy() throws {
    let policy = try #require(tags.first { $0.attributes["http-equiv"] != nil }?.attributes["content"])
    #expect(policy.hasPrefix("default-src 'none'; "))
    for (start, directive) in [("style", "style-src"), ("script type=\"module\"", "script-src")] {
      let content = try #require(Self.content(of: start, in: page))
      let digest = try Base64Bytes(SHA256.digest(Array(content.utf8))).jsonValue.stringValue ?? ""
      #expect(policy.contains("\(directive) 'sha256-\(digest)'"))
    }
  }

  @Test("The script of the diagnostics page is the console's renderer as one module without comments")
  func script() throws {
    let script = try #require(Self.content(of: "script type=\"module\"", in: page))
    let lines = script.split(separator: "\n")
    #expect(lines.count > 200)
    #expect(!lines.contains { line in ["import ", "export ", "//", " "].contains { line.hasPrefix($0) } })
    for start in ["function h(", "function breakable(", "const sectionCards =", "function found("] {
      #expect(lines.count { $0.hasPrefix(start) } == 1, "\(start)")
    }
  }

  @Test("Log text in the diagnostics page is data and never becomes markup")
  func escaping() throws {
    let rows = try #require(tables(in: "log").first?["rows"]?.arrayValue)
    let texts = rows.compactMap { $0["cells"]?.arrayValue?.last?["text"]?.stringValue }
    #expect(texts.contains(Self.hostile))
    #expect(texts.contains("a\u{202E}b"))
    #expect(tags.filter { $0.name == "script" && !$0.isEnd }.count == 2)
    #expect(!page.contains("<!--"))
  }

  @Test("Without scripts, the diagnostics page shows plain text and makes invisible characters visible")
  func plainText() throws {
    let text = try #require(Self.content(of: "noscript", in: page))
    #expect(text.contains("&lt;/script&gt;&lt;script src='https://evil.example/x.js'&gt;"))
    #expect(text.contains("aU+202Eb"))
    for part in ["OVERVIEW", "Launch: block until the user answers", "newPoliciesReceived (100)", "MultiIdentity"] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test("The diagnostics page has a language, a title, a color scheme and a viewport for phones")
  func head() {
    func count(_ name: String, _ attributes: [String: String]) -> Int {
      tags.count { tag in tag.name == name && attributes.allSatisfy { tag.attributes[$0.key] == $0.value } }
    }
    #expect(count("html", ["lang": "en"]) == 1)
    #expect(page.contains("<title>Diagnostics of com.example.test</title>"))
    #expect(count("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]) == 1)
    #expect(count("meta", ["name": "color-scheme", "content": "light dark"]) == 1)
  }

  @Test("Each time in the diagnostics report has its exact value and its distance from the report")
  func times() throws {
    let row = try #require(tables(in: "checkins").first?["rows"]?.arrayValue?.first)
    let moments = try #require(row["cells"]?.arrayValue).compactMap { $0["moment"]?.objectValue }
    #expect(moments.compactMap { $0["distance"] } == ["now", "now", "in 30 minutes"])
    for moment in moments {
      #expect(moment["exact"]?.stringValue?.hasSuffix(" UTC") == true)
      #expect(moment["time"]?.stringValue?.hasSuffix("Z") == true)
    }
  }

  @Test("The diagnostics report names each policy once, above its settings")
  func groups() throws {
    let settings = try #require(tables(in: "accounts").first { $0["title"] == "Settings in force, by policy" })
    let groups = try #require(settings["rows"]?.arrayValue).map { $0["group"] }
    #expect(groups.count > 10)
    #expect(Set(groups) == ["Contoso data protection for iOS"])
    #expect(settings["columns"] == ["Setting", "Value", "SDK setting"])
  }

  @Test("The diagnostics page is smaller than 200,000 bytes")
  func size() { #expect(page.utf8.count < 200_000) }

  @Test("Text colors of the diagnostics page have a contrast of at least 4.5 in both color schemes", arguments: [0, 1])
  func contrast(_ theme: Int) throws {
    let colors = PageColors(try #require(Self.content(of: "style", in: page)), theme: theme)
    let grounds = ["ground", "card", "raised", "well"]
    let pairs =
      grounds.flatMap { [("text", $0), ("quiet", $0), ("accent", $0)] }
      + ["good", "warning", "bad", "accent"].map { ($0, "\($0)-ground") }
      + [("warning", "card"), ("bad", "card"), ("on-accent", "accent")]
    for (text, ground) in pairs {
      let contrast = try #require(colors.contrast(text, ground))
      #expect(contrast >= 4.5, "\(text) on \(ground): \(contrast)")
    }
  }

  private func tables(in section: String) -> [JSONValue] {
    let found = report["sections"]?.arrayValue?.first { $0["id"] == .string(section) }
    return found?["parts"]?.arrayValue?.flatMap { $0["tables"]?.arrayValue ?? [] } ?? []
  }
}
