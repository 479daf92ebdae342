import CGlibc
import Glibc

/// The arguments and the environment of this process. Text that is not UTF-8 is refused: decoded with replacement
/// characters, two different names would become one, and a path would lead to another folder.
package enum ProcessText {
  /// Names the argument or variable that is not UTF-8.
  package struct NotText: Error, CustomStringConvertible {
    package let description: String
  }

  /// The name or path by which the program was started; `nil` if it has none, or one that is not UTF-8.
  package static var program: String? {
    guard cglibc_argument_count() > 0, let bytes = cglibc_argument(0) else { return nil }
    return String(validatingCString: bytes)
  }

  /// The arguments after the name of the program.
  package static func arguments() throws(NotText) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, cglibc_argument_count()) {
      guard let bytes = cglibc_argument(index) else { continue }
      guard let word = String(validatingCString: bytes) else {
        throw NotText(description: "\(place(of: bytes, at: words.count, after: words.last)) is not valid UTF-8")
      }
      words.append(word)
    }
    return words
  }

  /// Throws if the value of a variable is not UTF-8 whose name is one of the names, or begins with one that ends with
  /// an underscore.
  package static func checkVariables(_ names: [StaticString]) throws(NotText) {
    var next = environ
    while let entry = next.pointee {
      next += 1
      guard hasOtherThanASCII(entry), isNamed(entry, names), String(validatingCString: entry) == nil else { continue }
      throw NotText(
        description: "the value of the variable \(text(entry, before: UInt8(ascii: "=")) ?? "") is not valid UTF-8. "
          + "Set it to UTF-8 text, or unset it")
    }
  }

  /// For example "the value of --state", "the value of account=", or "argument 2".
  private static func place(of bytes: UnsafePointer<CChar>, at index: Int, after word: String?) -> String {
    if let name = text(bytes, before: UInt8(ascii: "=")) { return "the value of \(name)" }
    guard let word, word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 else { return "argument \(index + 1)" }
    return "argument \(index + 1), after \(word),"
  }

  /// `nil` if the character is missing, or what comes before it is not a name.
  private static func text(_ bytes: UnsafePointer<CChar>, before end: UInt8) -> String? {
    var count = 0
    while bytes[count] != 0, UInt8(bitPattern: bytes[count]) != end {
      let byte = UInt8(bitPattern: bytes[count])
      let isMark = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
      guard byte.isAlphanumeric || isMark || byte == UInt8(ascii: ":") else { return nil }
      count += 1
    }
    guard count > 0, bytes[count] != 0 else { return nil }
    let found = UnsafeRawBufferPointer(start: bytes, count: count)
    return String(decoding: found, as: UTF8.self)
  }

  private static func hasOtherThanASCII(_ bytes: UnsafePointer<CChar>) -> Bool {
    var next = bytes
    while next.pointee != 0 {
      if next.pointee < 0 { return true }
      next += 1
    }
    return false
  }

  private static func isNamed(_ entry: UnsafePointer<CChar>, _ names: [StaticString]) -> Bool {
    for name in names where name.hasPointerRepresentation {
      let count = name.utf8CodeUnitCount
      guard begins(entry, name.utf8Start, count) else { continue }
      if name.utf8Start[count - 1] == UInt8(ascii: "_") || entry[count] == CChar(bitPattern: UInt8(ascii: "=")) {
        return true
      }
    }
    return false
  }

  /// Stops at the end of the entry, which differs from every byte of a name.
  private static func begins(_ entry: UnsafePointer<CChar>, _ name: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    var index = 0
    while index < count {
      if UInt8(bitPattern: entry[index]) != name[index] { return false }
      index += 1
    }
    return true
  }
}
