import Glibc
import Model
import Support

/// The diagnostics log: JSON Lines in two files of a folder, the older one replaced when the newer one is full.
///
/// A full or read-only disk never stops the program: lines are dropped, and counted in one line when writing works
/// again. Writing may block on the disk, so no lock is held around it.
public final class DiagnosticsLog: Sendable {
  let folder: LogFolder
  private let clock: any Clock
  let pseudonyms: Pseudonyms
  let setup: Lock<Setup>
  private let outage = LogOutage()
  private let subscribers = LogSubscribers()
  let knownIdentities: @Sendable () -> [String]
  private let reportFailure: @Sendable (String) -> Void
  private let pending: VerboseLog?

  struct Setup: Sendable {
    var minimumLevel: LogLevel
    var scrubber: LogScrubber
  }

  /// - Parameters:
  ///   - folder: Created, 0700, with the first line.
  ///   - salt: 16 random bytes, the same for the life of the state folder.
  ///   - maximumFileSize: In bytes, of each of the two files.
  ///   - knownIdentities: Names and ids of the accounts that the core knows.
  ///   - reportFailure: Gets one text, for stderr, with the first line that cannot be written.
  public convenience init(
    folder: String, clock: any Clock, salt: [UInt8], maximumFileSize: Int = 8 << 20,
    knownIdentities: @escaping @Sendable () -> [String] = { [] },
    reportFailure: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.init(
      folder: folder, clock: clock, salt: salt, maximumFileSize: maximumFileSize, knownIdentities: knownIdentities,
      reportFailure: reportFailure, pending: nil)
  }

  /// `pending` are lines that are written before the log is read.
  init(
    folder: String, clock: any Clock, salt: [UInt8], maximumFileSize: Int = 8 << 20,
    knownIdentities: @escaping @Sendable () -> [String], reportFailure: @escaping @Sendable (String) -> Void,
    pending: VerboseLog?
  ) {
    self.pending = pending
    self.folder = LogFolder(folder, maximumSize: maximumFileSize)
    self.clock = clock
    self.knownIdentities = knownIdentities
    self.reportFailure = reportFailure
    pseudonyms = Pseudonyms(salt: salt)
    setup = Lock(Setup(minimumLevel: .info, scrubber: LogScrubber(pseudonyms: pseudonyms, keys: [])))
  }

  /// Applies from the next line on. `keysToScrub` are the keys whose values are replaced; empty ones are ignored.
  public func configure(verbose: Bool, keysToScrub: [String]) {
    let scrubber = LogScrubber(pseudonyms: pseudonyms, keys: keysToScrub)
    let new = Setup(minimumLevel: verbose ? .verbose : .info, scrubber: scrubber)
    setup.withLock { $0 = new }
  }

  func configure(_ settings: Settings) {
    configure(
      verbose: settings.bool(.verboseLoggingEnabled), keysToScrub: settings.stringList(.valuesToScrubFromLogging))
  }

  /// `time` is when it happened, where that is not now.
  public func write(
    _ level: LogLevel, _ category: LogCategory, at time: Timestamp? = nil, _ message: @autoclosure () -> LogMessage
  ) {
    let setup = setup.withLock { $0 }
    guard level >= setup.minimumLevel else { return }
    write(level, category, scrub(message(), level, setup.scrubber), at: time)
  }

  /// A line of the host, of whom nothing is assumed: known identities are replaced as if they were marked.
  public func writeFromHost(_ level: LogLevel, category: String?, message: String) {
    let setup = setup.withLock { $0 }
    guard level >= setup.minimumLevel else { return }
    let category = scrub(LogMessage(plain: category ?? LogCategory.host.name), level, setup.scrubber)
    let message = String(decoding: message.utf8.prefix(16 * LogLine.messageLimit), as: UTF8.self)
    write(level, LogCategory(category), scrub(LogMessage(plain: message), level, setup.scrubber))
  }

  /// Both files for reading, with all lines that were added so far.
  func openForReading() throws(MAMError) -> [LogFile] {
    pending?.write(to: self)
    return try folder.openForReading()
  }

  /// The values that are replaced now, also in lines written before.
  var valuesToScrub: NamedValues { setup.withLock { $0.scrubber.values } }

  /// Where the log is: the current file, then the one before; without those that do not exist yet.
  public var logPaths: [String] { folder.existingPaths }

  /// Calls `receive` with each line from `level` on that gets into the log, until the result is given to
  /// `unsubscribe`. It runs where the line was written and must neither block nor write lines itself.
  public func subscribe(from level: LogLevel, _ receive: @escaping @Sendable (LogEntry) -> Void) -> Int {
    subscribers.add(from: level, receive)
  }

  public func unsubscribe(_ subscription: Int) {
    subscribers.remove(subscription)
  }

  private func scrub(_ message: LogMessage, _ level: LogLevel, _ scrubber: LogScrubber) -> String {
    guard level > .verbose else { return scrubber.clearText(of: message) }
    return scrubber.text(of: message, identities: message.hasForeignText ? knownIdentities() : [])
  }

  private func write(_ level: LogLevel, _ category: LogCategory, _ text: String, at time: Timestamp? = nil) {
    let entry = LogEntry(time: time ?? clock.now, level: level, category: category, message: LogLine.cut(text))
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
    reportFailure("the diagnostics log in \(folder.path) cannot be written (\(reason)); lines are lost until it can")
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
