import FoundationEssentials
import JSON
import Testing

@testable import PropertyList

@Suite struct BinaryPropertyListTests {
  private struct Sample: Encodable {
    var flag = true
    var off = false
    var small = 5
    var negative = -7
    var large = 5_000_000_000
    var real = 1.5
    var text = "plain"
    var wide = "naïve 😀"
    var list = (0..<40).map { "element \($0)" }
    var nested = ["a": ["b": [1, 300, 70_000]]]
    var bytes = Data([0, 1, 2])
  }

  private func encoded() throws -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return Array(try encoder.encode(Sample()))
  }

  @Test("A binary property list with values of every type is read")
  func values() throws {
    let value = try BinaryPropertyList.parse(try encoded())
    let list = JSONValue.array((0..<40).map { .string("element \($0)") })
    #expect(
      value == [
        "flag": true, "off": false, "small": 5, "negative": -7, "large": 5_000_000_000, "real": 1.5, "text": "plain",
        "wide": "naïve 😀", "list": list, "nested": ["a": ["b": [1, 300, 70_000]]], "bytes": "AAEC",
      ])
  }

  @Test("A binary property list with any damaged byte gives a value or an error, never a crash")
  func damage() throws {
    let contents = try encoded()
    for index in contents.indices {
      for value in [0, 1, 0x5F, 0x7F, 0xAF, 0xD1, 0xFF] as [UInt8] {
        var copy = contents
        copy[index] = value
        _ = try? BinaryPropertyList.parse(copy)
      }
      _ = try? BinaryPropertyList.parse(Array(contents[..<index]))
    }
  }

  @Test("A binary property list with an array that contains itself is refused")
  func circle() {
    let objects: [UInt8] = Array("bplist00".utf8) + [0xA1, 0]
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + number(1) + number(0) + number(10)
    #expect(throws: PropertyListError.self) { try BinaryPropertyList.parse(objects + [8] + trailer) }
  }

  @Test("A binary property list whose arrays each contain the next one twice is refused at 100,000 values")
  func doubling() {
    let (head, depth) = (Array("bplist00".utf8), 17)
    let objects: [UInt8] = (1...depth).flatMap { [0xA2, UInt8($0), UInt8($0)] } + [0x09]
    let offsets: [UInt8] = (0...depth).map { UInt8(head.count + 3 * $0) }
    let end = UInt8(head.count + objects.count)
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1] + number(UInt8(depth + 1)) + number(0) + number(end)
    #expect(throws: PropertyListError.self) { try BinaryPropertyList.parse(head + objects + offsets + trailer) }
  }

  private func number(_ value: UInt8) -> [UInt8] { Array(repeating: 0, count: 7) + [value] }
}
