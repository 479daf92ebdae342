import Glibc
import JSON
import PropertyList

extension Settings {
  /// From an IntuneMAMSettings dictionary, or an Info.plist that holds one: JSON, an XML or a binary property list.
  public init(path: String) throws(SettingsError) {
    do throws(SettingsError) {
      try self.init(contents: try Self.read(path))
    } catch {
      throw error.inFile(path)
    }
  }

  init(contents: [UInt8]) throws(SettingsError) {
    self.init()
    guard case .object(let object) = try Self.parse(contents) else {
      throw SettingsError(.malformed("it holds no dictionary", line: nil))
    }
    guard let inner = object["IntuneMAMSettings"] else {
      guard !object.names.contains(where: { $0.hasPrefix("CFBundle") }) else { return }
      try load(object)
      return
    }
    guard case .object(let dictionary) = inner else {
      throw SettingsError(.wrongType(expected: "a dictionary", found: "a \(inner.kind)"), key: "IntuneMAMSettings")
    }
    try load(dictionary)
  }

  private static func parse(_ contents: [UInt8]) throws(SettingsError) -> JSONValue {
    let text = contents.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(contents.dropFirst(3)) : contents
    let isList = PropertyList.isBinary(contents) || text.first { $0 > 0x20 } == UInt8(ascii: "<")
    return isList ? try list(contents) : try json(text)
  }

  private static func list(_ contents: [UInt8]) throws(SettingsError) -> JSONValue {
    do throws(PropertyListError) {
      return try PropertyList.parse(contents)
    } catch {
      throw SettingsError(.malformed(error.message, line: error.place?.line))
    }
  }

  private static func json(_ text: [UInt8]) throws(SettingsError) -> JSONValue {
    do throws(JSONParseError) {
      return try JSONValue(parsing: text)
    } catch {
      throw SettingsError(.malformed(error.message, line: error.line))
    }
  }

  private static func read(_ path: String) throws(SettingsError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .systemError }
    defer { close(descriptor) }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return contents }
      guard count > 0 else { throw .systemError }
      contents += chunk[..<count]
      guard contents.count <= 16 << 20 else { throw SettingsError(.unreadable("more than 16 MiB")) }
    }
  }
}

extension SettingsError {
  fileprivate static var systemError: SettingsError { SettingsError(.unreadable(String(cString: strerror(errno)))) }
}
