import Cryptography
import JSON
import Model
import Support
import TestSupport
import Testing

@testable import MAM

@Suite(.timeLimit(.minutes(2))) struct DiagnosticPageTests {
  private static let hostile = "\"><script src='https://evil.example/x.js'></script><img src=x onerror=y>&"

  /// Of alice in the sample tenant, with a line that is no friend of markup.
  private static let page: Result<String, MAMError> = {
    let folder = TemporaryFolder()
    let configuration = CoreConfiguration(
      stateFolder: StateFolder(root: folder.file("state"), appId: "com.example.test"), tenant: .sample,
      clock: ManualClock(startingAt: Timestamp(milliseconds: 1_780_000_000_000)))
    let core = Core(configuration)
    do throws(MAMError) {
      _ = try core.enrollment.registerAndEnroll(AccountReference("alice@contoso.example"))
      try core.refresh().log.writeFromHost(.error, category: nil, message: hostile)
      return .success(DiagnosticPage(report: try core.diagnostics.report(version: "1", sdkVersion: "2")).text)
    } catch {
      return .failure(error)
    }
  }()

  private let page: String
  private let tags: [PageTag]

  init() throws {
    page = try Self.page.get()
    tags = PageTag.all(in: page)
  }

  @Test("every element that begins ends, inside the one around it")
  func nesting() {
    var open: [String] = []
    for tag in tags where !["meta", "input", "wbr", "!doctype"].contains(tag.name) {
      if tag.isEnd {
        #expect(open.popLast() == tag.name)
      } else {
        open.append(tag.name)
      }
    }
    #expect(open == [] && page.hasPrefix("<!doctype html>"))
  }

  @Test("ids are unique, and every link leads to one: none leads out, and nothing is loaded")
  func links() {
    let ids = tags.compactMap { $0.attributes["id"] }
    #expect(Set(ids).count == ids.count)
    let links = tags.compactMap { $0.attributes["href"] }
    #expect(links.count > 8 && links.allSatisfy { $0.hasPrefix("#") && ids.contains(String($0.dropFirst())) })
    for tag in tags {
      #expect(tag.attributes["src"] == nil && !["link", "iframe", "img", "object", "base"].contains(tag.name))
      #expect(!tag.attributes.keys.contains { $0.hasPrefix("on") || $0 == "style" })
    }
    for word in ["url(", "@import", "http:", "fetch(", "XMLHttpRequest"] { #expect(!page.contains(word)) }
  }

  @Test("its policy allows its own style and script alone, by their digests")
  func contentPolicy() throws {
    let policy = try #require(tags.first { $0.attributes["http-equiv"] != nil }?.attributes["content"])
    #expect(policy.hasPrefix("default-src &#39;none&#39;"))
    for (name, directive) in [("style", "style-src"), ("script", "script-src")] {
      let rest = page.split(separator: "<\(name)>").dropFirst().first
      let content = try #require(rest?.split(separator: "</\(name)>").first)
      let digest = try Base64Bytes(SHA256.digest(Array(content.utf8))).jsonValue.stringValue ?? ""
      #expect(policy.contains("\(directive) &#39;sha256-\(digest)&#39;"))
    }
  }

  @Test("text of others is text, and nothing of it is markup")
  func escaping() {
    let text = page.replacing("<wbr>", with: "")
    #expect(text.contains("&quot;&gt;&lt;script src=&#39;https://evil.example/x.js&#39;&gt;"))
    #expect(tags.filter { $0.name == "script" && !$0.isEnd }.count == 1)
  }

  @Test("it has a language, a title, landmarks, one main heading, headers of tables, a search and a phone's width")
  func accessibility() {
    func count(_ name: String, _ attributes: [String: String] = [:]) -> Int {
      tags.filter { tag in
        tag.name == name && !tag.isEnd && attributes.allSatisfy { tag.attributes[$0.key] == $0.value }
      }.count
    }
    #expect(count("html", ["lang": "en"]) == 1 && count("title") == 1 && count("h1") == 1)
    for landmark in ["header", "nav", "main", "footer"] { #expect(count(landmark) == 1, "\(landmark)") }
    #expect(count("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]) == 1)
    #expect(count("label", ["for": "search"]) == 1 && count("input", ["id": "search"]) == 1)
    #expect(count("table") > 4 && count("caption") == count("table") && count("thead") == count("table"))
    #expect(count("section") == tags.count { $0.name == "section" && $0.attributes["aria-labelledby"] != nil })
    let headers = tags.filter { $0.name == "th" && !$0.isEnd }
    #expect(headers.allSatisfy { ["col", "row", "rowgroup"].contains($0.attributes["scope"]) })
  }

  @Test("words stay whole, but a long name breaks between its parts, and a part that is still long anywhere")
  func words() {
    let long = String(repeating: "x", count: 30)
    for (text, html) in [
      ("passed blocked", "passed blocked"), ("newPoliciesReceived", "newPoliciesReceived"),
      ("alice@contoso.example", "alice@contoso.example"),
      ("allowedInboundDataTransferSources", "allowed<wbr>Inbound<wbr>Data<wbr>Transfer<wbr>Sources"),
      ("/home/alice/.local/state/mambridge", "/<wbr>home/<wbr>alice/<wbr>.<wbr>local/<wbr>state/<wbr>mambridge"),
      ("a \(long)<", "a <span class=\"long\">\(long)&lt;</span>"),
      ("87d349ed-44d7-43e1-9a83-5f2406dee5bd", "87d349ed-<wbr>44d7-<wbr>43e1-<wbr>9a83-<wbr>5f2406dee5bd"),
    ] {
      var written = HTMLText()
      written.breakable(text)
      #expect(written.text == html)
    }
    #expect(page.contains("overflow-wrap: break-word") && !page.contains("body { overflow-wrap: anywhere"))
  }

  @Test("a time is shown as its distance from the report, with the exact time for the pointer and for programs")
  func times() {
    let times = tags.filter { $0.name == "time" && !$0.isEnd && $0.attributes["title"] != nil }
    #expect(times.count > 4)
    for time in times {
      #expect(time.attributes["title"]?.hasSuffix(" UTC") == true)
      #expect(time.attributes["datetime"]?.hasSuffix("Z") == true)
    }
    #expect(page.contains(">in 30 minutes</time>") && page.contains(">now</time>"))
  }

  @Test("each policy is named once, above its settings")
  func groups() throws {
    let table = try #require(page.split(separator: "<table").first { $0.contains("Settings in force") })
    let titles = PageTag.all(in: String(table)).filter { $0.attributes["class"] == "group" && !$0.isEnd }
    #expect(titles.count == 1 && table.split(separator: "Contoso data protection for iOS").count == 2)
    #expect(!table.contains(">Policy<"))
  }

  @Test("it is small, and says what happened")
  func content() {
    #expect(page.utf8.count < 200_000)
    let text = page.split(separator: "<wbr>").joined()
    for part in ["alice@contoso.example", "newPoliciesReceived (100)", "MultiIdentity", "Launch checks"] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test("text stands out from its ground as WCAG wants it, light and dark", arguments: [0, 1])
  func contrast(_ theme: Int) throws {
    let blocks = page.split(separator: ":root {").dropFirst().map { $0.prefix { $0 != "}" } }
    let colors = PageColors(String(blocks[theme]))
    let pairs = [
      ("text", "ground"), ("text", "card"), ("quiet", "ground"), ("quiet", "card"), ("accent", "ground"),
      ("accent", "card"), ("good", "good-ground"), ("warning", "warning-ground"), ("bad", "bad-ground"),
      ("warning", "card"), ("bad", "card"), ("head-text", "head"), ("head-text", "head-end"), ("head-quiet", "head"),
      ("head-quiet", "head-end"),
    ]
    for (text, ground) in pairs {
      let contrast = try #require(colors.contrast(text, ground))
      #expect(contrast >= 4.5, "\(text) on \(ground): \(contrast)")
    }
  }
}
