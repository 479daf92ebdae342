import Model
import SQLite
import Support

/// Which checks of strict mode are on in this process, and what a violation leads to.
///
/// The setting StrictMode switches all checks on or off. Hosts of the process can then switch single checks; that wins
/// over the setting until the process ends.
package final class StrictMode: Sendable {
  private struct State {
    var handling = StrictHandling.off { didSet { update() } }
    var switched: [StrictCheck: Bool] = [:] { didSet { update() } }
    /// Whether any check is on. Every call looks at this first, so it is kept and not computed.
    private(set) var isAnyOn = false

    func isOn(_ check: StrictCheck) -> Bool { switched[check] ?? (handling != .off) }

    private mutating func update() { isAnyOn = StrictCheck.allCases.contains { isOn($0) } }
  }

  private let state = Lock(State())

  init(_ handling: StrictHandling) {
    configure(handling)
  }

  func configure(_ handling: StrictHandling) {
    state.withLock { $0.handling = handling }
  }

  package func isOn(_ check: StrictCheck) -> Bool { state.withLock { $0.isOn(check) } }

  package var isAnyOn: Bool { state.withLock { $0.isAnyOn } }

  /// The checks that are on.
  package var checks: [StrictCheck] { state.withLock { state in StrictCheck.allCases.filter { state.isOn($0) } } }

  /// Whether a violation fails the call. The default handler of the Android SDK throws, so this is true unless the
  /// setting asks for reports only.
  package var failsCalls: Bool { state.withLock { $0.handling != .report } }

  package func turn(_ checks: [StrictCheck], on isOn: Bool) {
    state.withLock { state in
      for check in checks { state.switched[check] = isOn }
    }
  }
}

extension Core {
  /// Logs violations and stores their events. May block. A violation that cannot be stored is only logged: a mistake of
  /// the host must not break what works.
  package func report(_ violations: [StrictViolation]) {
    guard !violations.isEmpty, !configuration.isObserving, let log = try? refresh().log else { return }
    for violation in violations {
      let method = violation.method ?? "the server"
      log.write(
        .warning, .server,
        "strict mode: \(public: violation.check.rawValue) in \(public: method): \(public: violation.detail)")
    }
    do throws(MAMError) {
      try live.commit { transaction throws(SQLiteError) in
        for violation in violations { try transaction.append(.strictViolation(violation)) }
      }
    } catch {
      log.write(.warning, .server, "strict mode: an event cannot be stored: \(public: error.description)")
    }
  }

  /// Reports an error line of the log, concurrently with the call that caused it. `category` is that of the line.
  func noteSevereEvent(_ category: LogCategory) {
    guard strictMode.isOn(.severeEvent) else { return }
    let detail = "The server logged an error in the category \(category.name)."
    Task(executorPreference: BlockingExecutor.shared) { [weak self] in
      self?.report([StrictViolation(.severeEvent, in: nil, detail: detail)])
    }
  }
}

extension HostSecret {
  /// Whether the text can be sent as a bearer token (RFC 6750, section 2.1).
  package var hasFormOfToken: Bool {
    bytes.withUnsafeBytes { text in
      let body = text.prefix { $0 != UInt8(ascii: "=") }
      return !body.isEmpty && body.allSatisfy(Self.isOfToken)
        && text.dropFirst(body.count).allSatisfy { $0 == UInt8(ascii: "=") }
    }
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || "-._~+/".utf8.contains(byte)
  }
}
