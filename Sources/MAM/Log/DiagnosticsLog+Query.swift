import JSON
import Model

extension DiagnosticsLog {
  /// Returns the matching lines in the requested order, without damaged and foreign lines. Values to scrub are replaced
  /// even in lines written before the setting.
  ///
  /// The order is that of the files, so it is right even if the clock was set back. Memory does not grow with the log.
  public func query(_ query: LogQuery) throws(MAMError) -> [LogEntry] {
    let filter = LogFilter(query)
    let values = valuesToScrub
    let backwards = query.order == .newest
    let files = try openForReading()
    var entries: [LogEntry] = []
    for file in backwards ? files.reversed() : files {
      let wantsMore = LogReader.forEachLine(of: file, backwards: backwards) { line in
        if let hit = filter.match(line), let entry = LogEntry(line: hit, hiding: values) {
          if values.isEmpty || query.text.map(entry.message.contains) ?? true { entries.append(entry) }
        }
        return entries.count < query.limit.count
      }
      guard wantsMore else { break }
    }
    return entries
  }
}

extension LogEntry {
  /// `nil` if the line is not an entry.
  init?(line: UnsafeRawBufferPointer) {
    guard let document = try? JSONDocument(parsing: line), let entry = try? LogEntry.decode(document.root) else {
      return nil
    }
    self = entry
  }

  fileprivate init?(line: UnsafeRawBufferPointer, hiding values: NamedValues) {
    self.init(line: line)
    message = values.hidden(in: message)
  }
}
