import Model

extension Diagnostics {
  /// Writes a report into the state folder as a page, in place of the one before.
  package func writePage(of report: DiagnosticReport) throws(MAMError) -> AbsolutePath {
    guard let path = AbsolutePath(core.configuration.stateFolder.diagnosticPage) else {
      throw MAMError(.storeUnavailable, "the state folder has no absolute path", hint: "Give one with --state")
    }
    try DiagnosticPage(report: report).write(to: path)
    return path
  }
}

extension DiagnosticPage {
  /// Replaces what is there, for this user alone.
  package func write(to path: AbsolutePath) throws(MAMError) {
    try WholeFile.write(bytes, to: path)
  }
}
