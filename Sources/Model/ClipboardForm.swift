/// How copied content gets onto the clipboard.
public enum ClipboardForm: String, CaseIterable, Hashable, Sendable {
  case plain
  /// Encrypted, so that only managed apps can paste it.
  case protected
  /// Not at all.
  case blocked
}

extension ClipboardForm: NamedValue {}
