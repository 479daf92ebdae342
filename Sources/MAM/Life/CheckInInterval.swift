import Model
import Support

/// How long an account waits between two check-ins.
package enum CheckInInterval: String, CaseIterable, Sendable {
  case halfHour = "30 minutes"
  case halfDay = "12 hours"
  case day = "24 hours"
  case backOff = "1 minute, doubling to 60"

  /// `failures` is the number of failures in a row, including this one.
  func milliseconds(failures: Int) -> Int64 {
    switch self {
    case .halfHour: 30 * 60_000
    case .halfDay: 12 * 3_600_000
    case .day: 24 * 3_600_000
    case .backOff: min(60, 1 << Int64(min(max(failures, 1), 7) - 1)) * 60_000
    }
  }

  /// The time without an answer after which the service has forgotten the registration and the account enrolls again.
  static let registrationLifetime: Int64 = 90 * 24 * 3_600_000
}
