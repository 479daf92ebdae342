import ArgumentParser
import MAM
import Support

/// The clock that a command line chooses.
enum ClockChoice: Equatable {
  case system
  /// Starts at the time of the system clock if there is no other time.
  case manual(startingAt: Timestamp? = nil)

  private static let timePrefix = "manual="

  /// `nil` for any other text. A time must be RFC 3339, and not before 1970.
  init?(argument: String) {
    switch argument {
    case "system": self = .system
    case "manual": self = .manual()
    default:
      guard argument.hasPrefix(Self.timePrefix) else { return nil }
      let text = String(argument.dropFirst(Self.timePrefix.count))
      guard let time = Timestamp(text), time.milliseconds > 0 else { return nil }
      self = .manual(startingAt: time)
    }
  }

  /// The clock that the variable chooses, or else that of the system. A state that has seen a later time than the one in
  /// the variable goes on from there: the variable may have been set long before. Throws exit code 78 for another value.
  static func ofVariable() throws -> ClockChoice {
    guard let value = Variable.clock.value else { return .system }
    guard let choice = ClockChoice(argument: value) else {
      throw CommandFailure(
        exitCode: 78,
        message: "\(Variable.clock.rawValue) is \"\(value.shown)\". Set it to system, manual or manual=TIME, with a "
          + "time such as 2026-01-31T09:30:00Z")
    }
    return choice
  }

  var clock: any Clock {
    switch self {
    case .system: SystemClock()
    case .manual(let start): ManualClock(startingAt: start ?? SystemClock().now)
    }
  }

  /// Throws exit code 78 if the state has already seen a later time than the one that the clock starts at. A state that
  /// cannot be opened is reported by the command itself.
  func check(against core: Core) throws {
    guard case .manual(let start?) = self, (try? core.refresh()) != nil, let latest = core.state.latestTime,
      start < latest
    else { return }
    core.end()
    throw CommandFailure(
      exitCode: 78,
      message: "the clock cannot start at \(start), because the state has already seen \(latest). Start it then or "
        + "later, or choose another folder with --state")
  }
}

extension ClockChoice: ExpressibleByArgument {
  /// What a shell completes.
  static let allValueStrings = ["system", "manual"]
}
