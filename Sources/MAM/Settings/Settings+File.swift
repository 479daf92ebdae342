import JSON

extension Settings {
  /// From an IntuneMAMSettings dictionary, or an Info.plist that holds one: JSON, an XML or a binary property list.
  public init(path: String) throws(SettingsError) {
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
