import JSON
import PropertyList
import TestSupport
import Testing

@testable import Configurator

@Suite struct RandomListTests {
  @Test("configure removes no entry from a property list, and a second run changes nothing", arguments: UInt64(0)..<200)
  func stable(seed: UInt64) throws {
    var random = RandomList(seed: seed)
    let (info, entitlements) = (random.info(), random.entitlements())
    var configurator = Configurator()
    configurator.movesMainInterface = seed.isMultiple(of: 5)
    guard let after = try Sample.configured(info, entitlements: entitlements, configurator) else { return }
    #expect(try Sample.configured(after, entitlements: entitlements, configurator) == nil, "\(after)")
    #expect(holds(try Sample.value(of: after), try Sample.value(of: info)), "\(info)\n\(after)")
    for comment in random.comments where info.contains(comment) { #expect(after.contains(comment)) }
    let lines = Array(after.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    #expect(lines.allSatisfy { ($0.last == UInt8(ascii: "\r")) == (random.newline == "\r\n") })
  }

  @Test("configure never crashes on a damaged property list", arguments: UInt64(0)..<40)
  func damage(seed: UInt64) throws {
    var list = RandomList(seed: seed)
    let (info, entitlements) = (Array(list.info().utf8), try Sample.file(list.entitlements()))
    var random = SeededGenerator(state: seed)
    for _ in 0..<20 {
      var damaged = info
      for byte in "<>/&\"-!] a\n".utf8.shuffled(using: &random).prefix(2) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = byte
      }
      damaged.removeLast(Int.random(in: 0..<3, using: &random))
      guard let file = try? PropertyListFile(path: "Info.plist", bytes: damaged) else { continue }
      let bundle = Bundle(info: file, entitlements: entitlements)
      guard let changes = try? Configurator().changes(of: bundle) else { continue }
      _ = try Configurator().text(of: file, with: changes)
    }
  }

  /// Whether all of `small` is at its place in `large`. A rule may be another, a main interface elsewhere.
  private func holds(_ large: JSONValue, _ small: JSONValue) -> Bool {
    switch (large, small) {
    case (.object(let large), .object(let small)):
      small.members.allSatisfy { member in
        guard let value = large[member.name] else { return member.name == "UIMainStoryboardFile" }
        return member.name == "NSExtensionActivationRule" || holds(value, member.value)
      }
    case (.array(let large), .array(let small)):
      large.count >= small.count && zip(large, small).allSatisfy(holds)
    default: large == small
    }
  }
}
