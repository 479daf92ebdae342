import JSON
import TestSupport
import Testing

@testable import mambridge

@Suite(.ownThreads) struct AboutTests {
  /// The packages that are checked out, with their versions.
  private static let packages: [String: String] = {
    let text = Checkout.builtText("workspace-state.json") ?? ""
    let dependencies = (try? JSONValue(parsing: text))?["object"]?["dependencies"]?.arrayValue ?? []
    let versions = dependencies.compactMap { dependency -> (String, String)? in
      guard let name = dependency["packageRef"]?["identity"]?.stringValue,
        let version = dependency["state"]?["checkoutState"]?["version"]?.stringValue
      else { return nil }
      return (name, version)
    }
    return Dictionary(versions) { first, _ in first }
  }()

  /// Only the file system module of SwiftNIO uses swift-system, and that module is not linked. The others belong to the
  /// tenant service, and are there only if it was built.
  private static let notLinked: Set<String> = {
    let manifest = Checkout.text("Package.swift") ?? ""
    let list = manifest.split(separator: "let usedByNetwork").last?.split(separator: "\n]").first ?? ""
    let urls = list.split(separator: "\"").filter { $0.hasSuffix(".git") }
    let names = urls.compactMap { $0.split(separator: "/").last?.dropLast(".git".count) }
    return Set(names.map(String.init) + ["swift-system", "async-http-client"])
  }()

  private func version(of name: String) -> String? { LinkedWork.all.first { $0.name == name }?.version }

  @Test("about lists every linked Swift package with the version that is checked out")
  func packages() throws {
    #expect(Self.packages.count > 3)
    for (name, version) in Self.packages where !Self.notLinked.contains(name) {
      #expect(self.version(of: name) == version, "\(name)")
    }
  }

  @Test("about names the exact version of the Swift compiler, or says that it is not exact")
  func swift() throws {
    let linked = try #require(version(of: "Swift"))
    guard !linked.contains(" ") else { return }
    #expect(try Subprocess.run("/usr/bin/env", ["swift", "--version"]).output.contains("swift-\(linked)-RELEASE"))
  }

  @Test("about names the version of llhttp that is in SwiftNIO")
  func llhttp() throws {
    let header = try #require(
      Checkout.builtText("checkouts/swift-nio/Sources/CNIOLLHTTP/include/c_nio_llhttp.h"))
    let parts = ["MAJOR", "MINOR", "PATCH"].compactMap { part in
      header.split(separator: "\n").first { $0.hasPrefix("#define LLHTTP_VERSION_\(part) ") }?.split(separator: " ")
        .last
    }
    #expect(version(of: "llhttp") == parts.joined(separator: "."))
  }

  @Test(
    "about contains the license texts and the notice as the packages contain them",
    arguments: [
      ("Apache-2.0", "swift-nio/LICENSE.txt"), ("MIT", "swift-nio/Sources/CNIOLLHTTP/LICENSE"),
      ("Swift-exception", "swift-argument-parser/LICENSE.txt"), ("Swift-exception", "swift-atomics/LICENSE.txt"),
      ("Swift-exception", "swift-collections/LICENSE.txt"),
    ])
  func sources(_ license: String, _ file: String) throws {
    let text = try #require(Checkout.builtText("checkouts/\(file)"))
    #expect(text.contains(LinkedWork.text(ofLicense: license).trimmed))
    let nio = try #require(LinkedWork.all.first { $0.name == "swift-nio" })
    #expect(Checkout.builtText("checkouts/swift-nio/NOTICE.txt") == nio.notices)
  }

  @Test("Every license in about has its text")
  func licenses() {
    let licenses = Set(LinkedWork.all.flatMap(\.licenses))
    #expect(licenses.count == 9)
    for license in licenses { #expect(LinkedWork.text(ofLicense: license).count > 200, "\(license)") }
    #expect(LinkedWork.text(ofLicense: "none") == "")
  }

  @Test("about prints every library with its license and URL, and each license text once")
  func text() throws {
    let outcome = try Program.run(["about"])
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.lines.first == "mambridge \(Mambridge.version)")
    for work in LinkedWork.all {
      #expect(outcome.lines.contains { $0.hasPrefix("\(work.name) ") && $0.contains(work.license) }, "\(work.name)")
      #expect(outcome.output.contains(work.url))
    }
    for once in ["Version 2.0, January 2004", "Version 2.1, February 1999", "Version 3.1, 31 March 2009", "not evil"] {
      #expect(outcome.lines.count { $0.contains(once) } == 1, "\(once)")
    }
  }

  @Test("the date of the newest library is that of its number, and unknown without one")
  func dates() {
    #expect(About.date(20_260_403) == "2026-04-03")
    #expect(About.date(20_261_021) == "2026-10-21")
    #expect(About.date(0) == nil)
  }

  @Test("about --json prints the version of mambridge and all libraries with their licenses")
  func json() throws {
    let outcome = try Program.run(["about", "--json"])
    let about = try JSONValue(parsing: outcome.output)
    #expect(outcome.status == 0)
    #expect(about["version"] == .string(Mambridge.version))
    // Only a release has a date.
    let date = try #require(about["newestLibraryDate"])
    #expect(date.isNull || date.stringValue?.wholeMatch(of: /20[0-9]{2}-[01][0-9]-[0-3][0-9]/) != nil)
    let works = about["works"]?.arrayValue ?? []
    #expect(works.map { $0["name"]?.stringValue ?? "" } == LinkedWork.all.map(\.name))
    for work in works {
      for member in ["name", "version", "license", "url", "notice"] {
        #expect(work[member]?.stringValue?.isEmpty == false, "\(work)")
      }
    }
    #expect(works.first { $0["name"] == "SQLite" }?["version"]?.stringValue?.hasPrefix("3.") == true)
    #expect(works.first { $0["name"] == "OpenSSL" }?["version"]?.stringValue?.hasPrefix("3.") == true)
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.last == "\n" { text.removeLast() }
    return String(text)
  }
}
