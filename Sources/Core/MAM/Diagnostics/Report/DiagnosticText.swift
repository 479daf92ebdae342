import JSON
import Model
import Support

extension DiagnosticSection.Text {
  init(optional text: String?) {
    self = text.map { Self($0) } ?? .none
  }

  init(_ flag: Bool) { self.init(flag ? "yes" : "no") }

  /// A JSON value without quotation marks; a list in one line.
  init(_ value: JSONValue) {
    switch value {
    case .null: self = .none
    case .string(let text): self = text.isEmpty ? Self("\"\"", .quiet) : Self(text)
    case .array(let elements) where elements.isEmpty: self = Self("empty list", .quiet)
    case .array(let elements): self.init(elements.map { Self($0).text }.joined(separator: ", "))
    case .object(let object) where object.names == ["name", "value"]:
      self.init("\(Self(object["name"] ?? .null).text): \(Self(object["value"] ?? .null).text)")
    default: self.init(value.jsonText)
    }
  }

  /// The time to the second, and how far it is from `now`.
  init(_ time: Timestamp?, now: Timestamp) {
    guard let time else {
      self = .none
      return
    }
    let moment = DiagnosticSection.Moment(time, from: now)
    self.init("\(moment.exact), \(moment.distance)", moment: moment)
  }

  /// Only how far the time is from `now`.
  init(since time: Timestamp?, now: Timestamp) {
    guard let time else {
      self = .none
      return
    }
    let moment = DiagnosticSection.Moment(time, from: now)
    self.init(moment.distance, moment: moment)
  }

  init(_ account: Account?) {
    self.init(optional: account.flatMap { $0.identity ?? $0.accountId })
  }
}

extension Timestamp {
  /// For example `2026-01-31 09:30:00`.
  package var shortText: String {
    description.prefix(19).split(separator: "T").joined(separator: " ")
  }

  /// For example `5 minutes ago` or `in 2 days`, in the largest whole unit.
  package func distance(from now: Timestamp) -> String {
    let seconds = (milliseconds - now.milliseconds) / 1000
    let units: [(Int64, String)] = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
    guard let (length, unit) = units.first(where: { abs(seconds) >= $0.0 }) else { return "now" }
    let count = abs(seconds) / length
    let text = "\(count) \(unit)\(count == 1 ? "" : "s")"
    return seconds < 0 ? "\(text) ago" : "in \(text)"
  }
}

extension AccountLife {
  package var tone: DiagnosticSection.Text.Tone {
    switch self {
    case .enrolled: .good
    case .registered, .enrolling, .retrying, .offline: .warning
    case .blocked, .wiping: .bad
    case .unenrolled: .quiet
    }
  }
}

extension LaunchVerdict {
  package var tone: DiagnosticSection.Text.Tone {
    switch self {
    case .allow: .good
    case .warn: .warning
    case .block, .wipe: .bad
    }
  }
}

extension LaunchOutcome {
  var tone: DiagnosticSection.Text.Tone {
    switch self {
    case .passed, .accepted: .good
    case .notApplicable: .quiet
    case .warn, .challenge: .warning
    case .block, .wipe: .bad
    }
  }
}

extension LogLevel {
  package var tone: DiagnosticSection.Text.Tone {
    switch self {
    case .verbose: .quiet
    case .info: .plain
    case .warning: .warning
    case .error: .bad
    }
  }
}
