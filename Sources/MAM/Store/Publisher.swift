extension StateFolder {
  /// Whose apps share a PIN and the time of its recheck: the first two labels of the app's id, in lower case.
  var publisher: String {
    appId.lowercasedASCII.split(separator: ".", omittingEmptySubsequences: false).prefix(2).joined(separator: ".")
  }
}
