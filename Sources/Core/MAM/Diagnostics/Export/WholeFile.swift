import Model
import Support
import Vault

/// A file that gets its name when it is complete, or never; readable by this user only. Does not use the store, which
/// may be what is being diagnosed.
struct WholeFile {
  private let location: FileLocation
  private let file: NewFile
  private(set) var size = 0

  init(_ location: FileLocation) throws(MAMError) {
    let draft = try TemporaryName.random().text
    file = try Self.using(location) { () throws(SystemError) in
      try NewFile(in: location.folder.descriptor, draft: draft)
    }
    self.location = location
  }

  mutating func append(_ bytes: [UInt8]) throws(MAMError) {
    try Self.using(location) { () throws(SystemError) in try file.append(bytes) }
    size += bytes.count
  }

  /// Gives the file its name, which must not exist yet. Commit point.
  func appear() throws(MAMError) {
    try Self.using(location) { () throws(SystemError) in try file.sync() }
    try CommitPoint.passCurrent()
    try Self.using(location) { () throws(SystemError) in try file.appear(as: location.name) }
  }

  /// Writes the whole file, replacing any existing one.
  static func write(_ content: [UInt8], to path: AbsolutePath) throws(MAMError) {
    var file = try WholeFile(FileLocation(path))
    try file.append(content)
    try using(file.location) { () throws(SystemError) in try file.file.replace(file.location.name) }
  }

  private static func using<Result>(
    _ location: FileLocation, _ body: () throws(SystemError) -> Result
  ) throws(MAMError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .file(location.path, error.number)
    }
  }
}
