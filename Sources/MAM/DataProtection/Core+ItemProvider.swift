import Model

extension Core {
  /// Whose the content is. Nil for null, for what was never protected, and where there is no content.
  package func protectionInfo(_ provider: ItemProvider?) throws(MAMError) -> Account? {
    guard let provider else { return nil }
    if let data = provider.data { return try protectionInfo(data.bytes) }
    guard let path = provider.path ?? provider.url.flatMap(FileURL.init)?.path else { return nil }
    return try bufferOwner(inFile: path)
  }

  /// The owner of a protected buffer that was written into a file; nil where there is no such file.
  func bufferOwner(inFile path: String) throws(MAMError) -> Account? {
    guard let start = FileStart.bytes(of: path), !start.isEmpty else { return nil }
    return try protectionInfo(start)
  }
}
