/// What a document picker is opened for (UIDocumentPickerMode).
public enum DocumentPickerMode: String, CaseIterable, Hashable, Sendable {
  case `import`, open, exportToService, moveToService

  /// Whether the picker brings data in; else it takes data out.
  package var bringsDataIn: Bool { self == .import || self == .open }
}

extension DocumentPickerMode: NamedValue {}
