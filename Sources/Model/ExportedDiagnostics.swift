import JSON

/// The archive that an export has made.
public struct ExportedDiagnostics: Hashable, Sendable {
  public var path: AbsolutePath
  public var size: Int

  public init(path: AbsolutePath, size: Int) {
    self.path = path
    self.size = size
  }
}

extension ExportedDiagnostics: Record {
  package static let schemaName: String? = "ExportedDiagnostics"
  package static let fields = Fields(
    Self.init(path:size:), Field("path", \.path, "Where the archive is."),
    Field("size", \.size, "Its length in bytes."))
}
