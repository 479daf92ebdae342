import ArgumentParser
import Model
import Support

/// A time in the past: an RFC 3339 time, a date, or how long ago it was.
struct SinceTime: ExpressibleByArgument {
  private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

  private enum Form { case time(Timestamp), ago(seconds: Int64) }

  private let form: Form

  /// `nil` for any other text.
  init?(argument: String) {
    if let time = Self.time(argument) {
      form = .time(time)
    } else if let seconds = Self.seconds(argument) {
      form = .ago(seconds: seconds)
    } else {
      return nil
    }
  }

  /// `now` is asked for only if the time depends on it.
  func time(before now: () throws -> Timestamp) rethrows -> Timestamp {
    switch form {
    case .time(let time): time
    case .ago(let seconds): max(try now().advanced(by: -seconds * 1000), .earliestText)
    }
  }

  /// Without a zone, the time is in UTC, as in the log. A space may be in the place of the T.
  private static func time(_ text: String) -> Timestamp? {
    let spaces = text.filter { $0 == " " }.count
    let text = spaces == 1 ? text.split(separator: " ").joined(separator: "T") : text
    return ["", "Z", ":00Z", "T00:00:00Z"].lazy.compactMap { Timestamp(text + $0) }.first
  }

  /// For example `90s`, `10m`, `2h`, `3d`, or an ISO 8601 duration such as `PT10M`. At most a thousand years.
  private static func seconds(_ text: String) -> Int64? {
    let longest: Int64 = 1000 * 366 * 86_400
    if let duration = ISODuration(text) { return duration.seconds <= longest ? duration.seconds : nil }
    guard let last = text.last, let unit = units[last], let count = Int64(text.dropLast()), count >= 0,
      text.first != "+"
    else { return nil }
    let (seconds, isTooLong) = count.multipliedReportingOverflow(by: unit)
    return isTooLong || seconds > longest ? nil : seconds
  }
}
