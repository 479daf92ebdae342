import JSON
import PropertyList
import Support

/// A property list as it lies in a file: its dictionary, and its text where it has one.
package struct PropertyListFile: Sendable {
  package let path: String
  package let bytes: [UInt8]
  package let root: JSONValue
  /// Nil for a binary list.
  private let xml: PropertyListText?

  package init(path: String) throws(ConfiguratorError) {
    try self.init(path: path, bytes: try Self.contents(of: path))
  }

  private static func contents(of path: String) throws(ConfiguratorError) -> [UInt8] {
    do throws(SystemError) {
      return try FileContents.read(path)
    } catch {
      throw ConfiguratorError(.unreadable(error.text), path: path)
    }
  }

  package init(path: String, bytes: [UInt8]) throws(ConfiguratorError) {
    (self.path, self.bytes) = (path, bytes)
    do throws(PropertyListError) {
      xml = PropertyList.isBinary(bytes) ? nil : try PropertyListText(bytes)
      root = if let xml { xml.root.value } else { try PropertyList.parse(bytes) }
    } catch {
      throw ConfiguratorError(.malformed(error), path: path)
    }
    guard case .object = root else {
      throw ConfiguratorError(.malformed(PropertyListError("it holds no dictionary")), path: path)
    }
  }

  /// To be edited.
  package func text() throws(ConfiguratorError) -> PropertyListText {
    guard let xml else { throw ConfiguratorError(.binary, path: path) }
    return xml
  }

  /// A string as it is written, entities included.
  func rawText(at path: PropertyListPath) -> String? {
    xml?.rawText(at: path) ?? root.value(at: path)?.stringValue
  }

  /// Empty where there is nothing.
  func strings(at path: PropertyListPath) throws(ConfiguratorError) -> [String] {
    guard let value = root.value(at: path) else { return [] }
    guard let elements = value.arrayValue, elements.allSatisfy({ $0.stringValue != nil }) else {
      throw ConfiguratorError(.wrongType(key: path.description, expected: "an array of strings"), path: self.path)
    }
    return elements.compactMap(\.stringValue)
  }

  /// Empty where there is nothing.
  func dictionary(at path: PropertyListPath) throws(ConfiguratorError) -> JSONObject {
    guard let value = root.value(at: path) else { return [:] }
    guard let object = value.objectValue else {
      throw ConfiguratorError(.wrongType(key: path.description, expected: "a dictionary"), path: self.path)
    }
    return object
  }

  /// The paths of `name` in each dictionary of an array.
  func paths(to name: String, inEachOf path: PropertyListPath) throws(ConfiguratorError) -> [PropertyListPath] {
    guard let value = root.value(at: path) else { return [] }
    guard let elements = value.arrayValue, elements.allSatisfy({ $0.objectValue != nil }) else {
      throw ConfiguratorError(.wrongType(key: path.description, expected: "an array of dictionaries"), path: self.path)
    }
    return elements.indices.map { path + [.index($0), .key(name)] }
  }
}
