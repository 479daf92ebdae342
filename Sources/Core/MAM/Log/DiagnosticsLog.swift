import Glibc
import JSON
import Model
import Support

/// The diagnostics log: JSON Lines in two files of a folder. When the newer file is full, it replaces the older one.
///
/// A full or read-only disk never stops the app: lines are dropped, and one line reports their number when writing
/// works again. Writing may block on the disk, so no lock is held around it.
package final class DiagnosticsLog: Sendable {
  let folder: LogFolder
  private let now: @Sendable () -> Timestamp
  let pseudonyms: Pseudonyms
  let setup: Lock<Setup>
  private let outage = LogOutage()
  private let subscribers = LogSubscribers()
  let knownNames: @Sendable () -> KnownNames
  private let reportFailure: @Sendable (String) -> Void
  private let pending: VerboseLog?

  struct Setup: Sendable {
    var minimumLevel: LogLevel
    var scrubber: LogScrubber
  }

  /// - Parameters:
  /// - folder: Created with mode 0700 when the first line is written.
  ///   - salt: 16 random bytes, the same for the life of the state folder.
  /// - maximumFileSize: The limit for each of the two files, in bytes.
  /// - knownNames: The names and ids of the accounts that the core knows.
  /// - reportFailure: Receives one text for stderr when the first line cannot be written.
  package convenience init(
    folder: String, clock: any Clock, salt: [UInt8], maximumFileSize: Int = 8 << 20,
    knownNames: @escaping @Sendable () -> KnownNames = { KnownNames([]) },
    reportFailure: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.init(
      folder: folder, now: { clock.now }, salt: salt, maximumFileSize: maximumFileSize,
      knownNames: knownNames,
      reportFailure: reportFailure, pending: nil)
  }

  /// `now` is the time of a line. `pending` holds lines to write before the log is read. A read-only log drops all lines.
  init(
    folder: String, now: @escaping @Sendable () -> Timestamp, salt: [UInt8], maximumFileSize: Int = 8 << 20,
    knownNames: @escaping @Sendable () -> KnownNames, reportFailure: @escaping @Sendable (String) -> Void,
    pending: VerboseLog?, isReadOnly: Bool = false
  ) {
    self.pending = pending
    self.folder = LogFolder(folder, maximumSize: maximumFileSize, isReadOnly: isReadOnly)
    self.now = now
    self.knownNames = knownNames
    self.reportFailure = reportFailure
    pseudonyms = Pseudonyms(salt: salt)
    setup = Lock(Setup(minimumLevel: .info, scrubber: LogScrubber(pseudonyms: pseudonyms, keys: [])))
  }

  /// Applies from the next line on. The values of `keysToScrub` are replaced; empty keys are ignored.
  package func configure(verbose: Bool, keysToScrub: [String]) {
    let scrubber = LogScrubber(pseudonyms: pseudonyms, keys: keysToScrub)
    let new = Setup(minimumLevel: verbose ? .verbose : .info, scrubber: scrubber)
    setup.withLock { $0 = new }
  }

  func configure(_ settings: Settings) {
    configure(
      verbose: settings.bool(.verboseLoggingEnabled), keysToScrub: settings.stringList(.valuesToScrubFromLogging))
  }

  /// The line names the request that the current task answers.
  package func write(_ level: LogLevel, _ category: LogCategory, _ message: @autoclosure () -> LogMessage) {
    write(level, category, at: nil, causedBy: .current, message())
  }

  /// `time` is the time of the event; `nil` for now.
  func write(
    _ level: LogLevel, _ category: LogCategory, at time: Timestamp?, causedBy cause: RequestCause?,
    _ message: @autoclosure () -> LogMessage
  ) {
    let setup = setup.withLock { $0 }
    guard level >= setup.minimumLevel else { return }
    write(
      LogEntry(
        time: time ?? now(), level: level, category: category, message: scrub(message(), level, setup.scrubber),
        cause: scrub(cause, level, setup.scrubber)))
  }

  /// Writes a line of the host. Its text is not trusted, so known identities are replaced as if they were marked.
  package func writeFromHost(_ level: LogLevel, category: String?, message: String) {
    let setup = setup.withLock { $0 }
    guard level >= setup.minimumLevel else { return }
    let category = scrub(LogMessage(plain: category ?? LogCategory.host.name), level, setup.scrubber)
    let message = String(decoding: message.utf8.prefix(16 * LogLine.messageLimit), as: UTF8.self)
    write(
      LogEntry(
        time: now(), level: level, category: LogCategory(category),
        message: scrub(LogMessage(plain: message), level, setup.scrubber),
        cause: scrub(.current, level, setup.scrubber)))
  }

  /// Opens both files for reading, with all lines that were added so far.
  func openForReading() throws(MAMError) -> [LogFile] {
    pending?.write(to: self)
    return try folder.openForReading()
  }

  /// Hides the values to scrub, even in lines written before the setting.
  var valuesToScrub: NamedValues { setup.withLock { $0.scrubber.values } }

  /// The paths of the log: the current file, then the previous one, if they exist.
  package var logPaths: [String] { folder.existingPaths }

  /// Calls `receive` with each line from `level` on that is logged, until the result is passed to `unsubscribe`.
  /// `receive` runs where the line is written, and must neither block nor write lines itself.
  package func subscribe(from level: LogLevel, _ receive: @escaping @Sendable (LogEntry) -> Void) -> Int {
    subscribers.add(from: level, receive)
  }

  package func unsubscribe(_ subscription: Int) {
    subscribers.remove(subscription)
  }

  private func scrub(_ message: LogMessage, _ level: LogLevel, _ scrubber: LogScrubber) -> String {
    guard level > .verbose else { return scrubber.clearText(of: message) }
    guard message.hasForeignText else { return scrubber.text(of: message, names: KnownNames([])) }
    return scrubber.line(of: message, names: knownNames())
  }

  /// The id of a request is text of its sender.
  private func scrub(_ cause: RequestCause?, _ level: LogLevel, _ scrubber: LogScrubber) -> RequestCause? {
    guard var cause, let id = cause.id.stringValue else { return cause }
    cause.id = .string(scrub(LogMessage(plain: id), level, scrubber))
    return cause
  }

  private func write(_ entry: LogEntry) {
    var entry = entry
    entry.message = LogLine.cut(entry.message)
    subscribers.deliver(entry)
    if let loss = outage.take(), !append(.lost(loss, now: entry.time), countingAs: loss) {
      return drop(.init(count: 1, since: entry.time, code: loss.code))
    }
    _ = append(entry, countingAs: .init(count: 1, since: entry.time, code: 0))
  }

  private func append(_ entry: LogEntry, countingAs loss: LogOutage.Loss) -> Bool {
    let code = folder.append(LogLine.bytes(of: entry))
    guard code != 0 else { return true }
    drop(.init(count: loss.count, since: loss.since, code: code))
    return false
  }

  private func drop(_ loss: LogOutage.Loss) {
    guard outage.add(loss) else { return }
    let reason = SystemError(number: loss.code).text
    reportFailure("cannot write the diagnostics log in \(folder.path) (\(reason)); lines are lost until this works")
  }
}

extension LogEntry {
  fileprivate static func lost(_ loss: LogOutage.Loss, now: Timestamp) -> LogEntry {
    let lines = loss.count == 1 ? "1 line" : "\(loss.count) lines"
    let reason = SystemError(number: loss.code).text
    return LogEntry(
      time: now, level: .warning, category: .diagnostics,
      message: "\(lines) since \(loss.since) could not be written (\(reason))")
  }
}

extension DiagnosticsLog {
  /// Returns the matching lines in the requested order, without damaged and foreign lines. Values to scrub are replaced
  /// even in lines written before the setting.
  ///
  /// The order is that of the files, so it is right even if the clock was set back. Memory does not grow with the log.
  package func query(_ query: LogQuery) throws(MAMError) -> [LogEntry] {
    let filter = LogFilter(query)
    let values = valuesToScrub
    let backwards = query.order == .newest
    let files = try openForReading()
    var entries: [LogEntry] = []
    for file in backwards ? files.reversed() : files {
      let wantsMore = LogReader.forEachLine(of: file, backwards: backwards) { line in
        if let hit = filter.match(line), let entry = LogEntry(line: hit, hiding: values) {
          if values.isEmpty || query.text.map(entry.message.includes) ?? true { entries.append(entry) }
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

  init?(line: UnsafeRawBufferPointer, hiding values: NamedValues) {
    self.init(line: line)
    message = values.hidden(in: message)
  }
}

/// The subscribers that receive lines as they are written.
final class LogSubscribers: Sendable {
  private struct Subscriber: Sendable {
    let number: Int
    let level: LogLevel
    let receive: @Sendable (LogEntry) -> Void
  }

  private struct State {
    var lastNumber = 0
    var subscribers: [Subscriber] = []
  }

  private let state = Lock(State())

  func add(from level: LogLevel, _ receive: @escaping @Sendable (LogEntry) -> Void) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.subscribers.append(Subscriber(number: state.lastNumber, level: level, receive: receive))
      return state.lastNumber
    }
  }

  func remove(_ number: Int) {
    state.withLock { state in state.subscribers.removeAll { $0.number == number } }
  }

  func deliver(_ entry: LogEntry) {
    for subscriber in state.withLock({ $0.subscribers }) where entry.level >= subscriber.level {
      subscriber.receive(entry)
    }
  }
}
