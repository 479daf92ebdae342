import FoundationEssentials
import JSON

/// The binary form of a property list (`bplist00`), in which Xcode writes an app's Info.plist.
///
/// FoundationEssentials' reader is not used because it does not limit nesting. Objects may refer to each other, even in
/// cycles, so depth and number of visits are limited.
struct BinaryPropertyList {
  private static let nestingLimit = 64
  private static let visitLimit = 100_000
  private static let headerLength = 8
  private static let trailerLength = 32

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let offsetTable: Int
  private var visits = 0

  static func parse(_ bytes: [UInt8]) throws(PropertyListError) -> JSONValue {
    guard bytes.count >= headerLength + trailerLength, bytes.starts(with: "bplist0".utf8) else { throw .damaged }
    var list = try BinaryPropertyList(bytes)
    return try list.object(try list.trailerNumber(2), level: 0)
  }

  private init(_ bytes: [UInt8]) throws(PropertyListError) {
    self.bytes = bytes
    let trailer = bytes.count - Self.trailerLength
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    objectCount = try Self.number(bytes, at: trailer + 8, size: 8)
    offsetTable = try Self.number(bytes, at: trailer + 24, size: 8)
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), objectCount <= bytes.count else {
      throw .damaged
    }
  }

  private func trailerNumber(_ index: Int) throws(PropertyListError) -> Int {
    try Self.number(bytes, at: bytes.count - Self.trailerLength + 8 * index, size: 8)
  }

  private mutating func object(_ index: Int, level: Int) throws(PropertyListError) -> JSONValue {
    visits += 1
    guard level < Self.nestingLimit, visits <= Self.visitLimit, index < objectCount else { throw .damaged }
    guard offsetTable <= bytes.count else { throw .damaged }
    let start = try Self.number(bytes, at: offsetTable + index * offsetSize, size: offsetSize)
    guard start < bytes.count else { throw .damaged }
    let (kind, low) = (bytes[start] >> 4, Int(bytes[start] & 15))
    switch kind {
    case 0x0: return try Self.constant(low)
    case 0x1: return .integer(Int64(try signedNumber(at: start + 1, size: 1 << low)))
    case 0x2, 0x3: return .number(try real(at: start + 1, size: 1 << low))
    case 0x4...0x6: return try text(kind, start, low)
    case 0xA: return try array(start, low, level)
    case 0xD: return try dictionary(start, low, level)
    default: throw .damaged
    }
  }

  private static func constant(_ low: Int) throws(PropertyListError) -> JSONValue {
    switch low {
    case 8: false
    case 9: true
    default: throw .damaged
    }
  }

  private func text(_ kind: UInt8, _ start: Int, _ low: Int) throws(PropertyListError) -> JSONValue {
    let (count, first) = try length(start, low)
    let part = try slice(first, count, of: kind == 6 ? 2 : 1)
    switch kind {
    case 0x4: return .string(Data(part).base64EncodedString())
    case 0x5: return .string(String(decoding: part, as: UTF8.self))
    default:
      let units = stride(from: part.startIndex, to: part.endIndex, by: 2).map {
        UInt16(part[$0]) << 8 | UInt16(part[$0 + 1])
      }
      return .string(String(decoding: units, as: UTF16.self))
    }
  }

  private mutating func array(_ start: Int, _ low: Int, _ level: Int) throws(PropertyListError) -> JSONValue {
    let (count, first) = try length(start, low)
    _ = try slice(first, count, of: referenceSize)
    var elements: [JSONValue] = []
    for index in 0..<count { elements.append(try reference(first, index, level)) }
    return .array(elements)
  }

  private mutating func dictionary(_ start: Int, _ low: Int, _ level: Int) throws(PropertyListError) -> JSONValue {
    let (count, first) = try length(start, low)
    _ = try slice(first, count, of: 2 * referenceSize)
    var object = JSONObject()
    for index in 0..<count {
      guard case .string(let name) = try reference(first, index, level), object[name] == nil else { throw .damaged }
      object[name] = try reference(first, count + index, level)
    }
    return .object(object)
  }

  private mutating func reference(_ first: Int, _ index: Int, _ level: Int) throws(PropertyListError) -> JSONValue {
    let target = try Self.number(bytes, at: first + index * referenceSize, size: referenceSize)
    return try object(target, level: level + 1)
  }

  /// The number of elements, and the position of the first. A number of 15 or more is a separate integer object.
  private func length(_ start: Int, _ low: Int) throws(PropertyListError) -> (count: Int, first: Int) {
    guard low == 15 else { return (low, start + 1) }
    guard start + 1 < bytes.count, bytes[start + 1] >> 4 == 1, bytes[start + 1] & 15 <= 3 else { throw .damaged }
    let size = 1 << Int(bytes[start + 1] & 15)
    return (try Self.number(bytes, at: start + 2, size: size), start + 2 + size)
  }

  private func slice(_ start: Int, _ count: Int, of size: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
    guard start <= bytes.count, count <= (bytes.count - start) / size else { throw .damaged }
    return bytes[start..<start + count * size]
  }

  private func real(at start: Int, size: Int) throws(PropertyListError) -> Double {
    let bits = try Self.bits(bytes, at: start, size: size)
    switch size {
    case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 8: return Double(bitPattern: bits)
    default: throw .damaged
    }
  }

  private func signedNumber(at start: Int, size: Int) throws(PropertyListError) -> Int64 {
    size == 16
      ? Int64(bitPattern: try Self.bits(bytes, at: start + 8, size: 8))
      : Int64(bitPattern: try Self.bits(bytes, at: start, size: size))
  }

  private static func number(_ bytes: [UInt8], at start: Int, size: Int) throws(PropertyListError) -> Int {
    guard let number = Int(exactly: try bits(bytes, at: start, size: size)), number <= Int(Int32.max) else {
      throw .damaged
    }
    return number
  }

  /// Big-endian, 1 to 8 bytes.
  private static func bits(_ bytes: [UInt8], at start: Int, size: Int) throws(PropertyListError) -> UInt64 {
    guard start >= 0, (1...8).contains(size), start <= bytes.count - size else { throw .damaged }
    return bytes[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension PropertyListError {
  fileprivate static var damaged: PropertyListError { PropertyListError("the binary property list is damaged") }
}
