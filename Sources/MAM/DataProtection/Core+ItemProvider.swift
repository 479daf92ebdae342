import Model

extension Core {
  /// Whose the content is. Nil for null, for what was never protected, and where there is no content.
  package func protectionInfo(_ provider: ItemProvider?) throws(MAMError) -> Account? {
    guard let provider else { return nil }
    if let data = provider.data { return try protectionInfo(data.bytes) }
    guard let path = provider.path ?? provider.url.flatMap(FileURL.init)?.path else { return nil }
    return try AbsolutePath(path).map { path throws(MAMError) in try owner(ofContentAt: path) } ?? nil
  }
}
