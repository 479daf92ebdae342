extension String {
  /// The text of somebody else as a message shows it: without control characters, and cut off, so that it fits a
  /// terminal and a log.
  package func shown(atMost limit: Int) -> String {
    let clean = String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
    return clean.count > limit ? clean.prefix(limit - 1) + "…" : clean
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
