import Model

extension Diagnostics {
  /// Writes the report as a page into the state folder, replacing the previous page.
  package func writePage(of report: DiagnosticReport) throws(MAMError) -> AbsolutePath {
    guard let path = AbsolutePath(live.configuration.stateFolder.diagnosticPage) else {
      throw MAMError(
        .storeUnavailable, "the path of the state folder is not absolute", hint: "Pass an absolute path with --state")
    }
    try DiagnosticPage(report: report).write(to: path)
    return path
  }
}

extension DiagnosticPage {
  /// Replaces any existing file; readable by this user only.
  package func write(to path: AbsolutePath) throws(MAMError) {
    try WholeFile.write(bytes, to: path)
  }
}
