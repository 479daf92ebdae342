import MAM

/// How a piece of text looks.
enum Style {
  case title, head, plain, good, warning, bad, quiet

  init(_ tone: DiagnosticSection.Text.Tone) {
    switch tone {
    case .plain: self = .plain
    case .good: self = .good
    case .warning: self = .warning
    case .bad: self = .bad
    case .quiet: self = .quiet
    }
  }

  /// Of ECMA-48; the colors are those that the reader's terminal has chosen.
  var code: String? {
    switch self {
    case .plain: nil
    case .title: "1"
    case .head: "4"
    case .good: "32"
    case .warning: "33"
    case .bad: "31"
    case .quiet: "2"
    }
  }
}
