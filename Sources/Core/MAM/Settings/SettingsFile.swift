import JSON
import Model
import Policy
import PropertyList
import Support

/// A dictionary in a file: JSON, or an XML or binary property list.
enum SettingsFile {
  static func dictionary(in contents: [UInt8]) throws(SettingsError) -> JSONObject {
    guard case .object(let object) = try parse(contents) else {
      throw SettingsError(.malformed("the top level must be a dictionary", line: nil))
    }
    return object
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

  static func read(_ path: String) throws(SettingsError) -> [UInt8] {
    do throws(SystemError) {
      return try FileContents.read(path)
    } catch {
      throw SettingsError(.unreadable(error.text))
    }
  }
}

extension Settings {
  /// Reads an IntuneMAMSettings dictionary, or an Info.plist that contains one, as JSON or as an XML or binary property
  /// list.
  package init(path: String) throws(SettingsError) {
    do throws(SettingsError) {
      try self.init(contents: try SettingsFile.read(path))
    } catch {
      throw error.inFile(path)
    }
  }

  init(contents: [UInt8]) throws(SettingsError) {
    self.init()
    let object = try SettingsFile.dictionary(in: contents)
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
}

extension TestSettings {
  /// Reads a MAMDebugSettings.plist, or a dictionary like it, as JSON or as an XML or binary property list. The file
  /// that a device keeps works as well.
  package init(path: String) throws(SettingsError) {
    do throws(SettingsError) {
      try self.init(contents: try SettingsFile.read(path))
    } catch {
      throw error.inFile(path)
    }
  }

  private init(contents: [UInt8]) throws(SettingsError) {
    let dictionary = try SettingsFile.dictionary(in: contents)
    do throws(Fault) {
      try self.init(dictionary.deviceDictionary?["IntuneMAMPolicies"]?.objectValue ?? dictionary)
    } catch {
      throw SettingsError(.misfit(error.reason), key: error.member)
    }
  }
}
