import Glibc
import JSON
import PropertyList
import Support

/// A property list in a file: its dictionary, and its text unless it is binary.
package struct PropertyListFile: Sendable {
  package let path: String
  package let bytes: [UInt8]
  package let root: JSONValue
  /// `nil` for a binary property list.
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
      throw ConfiguratorError(.malformed(PropertyListError("the top level must be a dictionary")), path: path)
    }
  }

  /// The text to edit. Throws for a binary property list.
  package func text() throws(ConfiguratorError) -> PropertyListText {
    guard let xml else { throw ConfiguratorError(.binary, path: path) }
    return xml
  }

  /// A string as it is in the file, with its entities.
  func rawText(at path: PropertyListPath) -> String? {
    xml?.rawText(at: path) ?? root.value(at: path)?.stringValue
  }

  /// Empty if there is no value.
  func strings(at path: PropertyListPath) throws(ConfiguratorError) -> [String] {
    guard let value = root.value(at: path) else { return [] }
    guard let elements = value.arrayValue, elements.allSatisfy({ $0.stringValue != nil }) else {
      throw ConfiguratorError(.wrongType(key: path.description, expected: "an array of strings"), path: self.path)
    }
    return elements.compactMap(\.stringValue)
  }

  /// Empty if there is no value.
  func dictionary(at path: PropertyListPath) throws(ConfiguratorError) -> JSONObject {
    guard let value = root.value(at: path) else { return [:] }
    guard let object = value.objectValue else {
      throw ConfiguratorError(.wrongType(key: path.description, expected: "a dictionary"), path: self.path)
    }
    return object
  }

  /// The path of `name` in each dictionary of an array.
  func paths(to name: String, inEachOf path: PropertyListPath) throws(ConfiguratorError) -> [PropertyListPath] {
    guard let value = root.value(at: path) else { return [] }
    guard let elements = value.arrayValue, elements.allSatisfy({ $0.objectValue != nil }) else {
      throw ConfiguratorError(.wrongType(key: path.description, expected: "an array of dictionaries"), path: self.path)
    }
    return elements.indices.map { path + [.index($0), .key(name)] }
  }
}

/// Replaces or creates a file: completely or not at all, and durably before this returns. An existing file keeps its
/// mode; a new file gets the mode of `model`. If the path is a symbolic link, replaces the file that it leads to.
package func replaceFile(
  _ path: String, with bytes: [UInt8], modeOf model: String
) throws(ConfiguratorError) {
  let target = resolved(path)
  var status = stat()
  let isThere = stat(target, &status) == 0
  guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
    throw ConfiguratorError(.unwritable("it is not a regular file"), path: path)
  }
  do throws(SystemError) {
    // A rename ignores the mode of the file that it replaces.
    guard !isThere || access(target, W_OK) == 0, isThere || stat(model, &status) == 0 else { throw .current }
    try write(bytes, to: target, mode: status.st_mode & 0o7777)
  } catch {
    throw ConfiguratorError(.unwritable(error.text), path: path)
  }
}

private func resolved(_ path: String) -> String {
  guard let real = realpath(path, nil) else { return path }
  defer { free(real) }
  return String(cString: real)
}

private func write(_ bytes: [UInt8], to target: String, mode: mode_t) throws(SystemError) {
  let slash = target.lastIndex(of: "/")
  let folder = open(slash.map { String(target[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard folder >= 0 else { throw .current }
  defer { close(folder) }
  let draft = ".mambridge-\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).tmp"
  let file = try NewFile(in: folder, draft: draft)
  try file.append(bytes)
  try file.setMode(mode)
  try file.replace(slash.map { String(target[target.index(after: $0)...]) } ?? target)
}
