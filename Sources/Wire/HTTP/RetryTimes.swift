import Support

extension HTTPHeaders {
  /// How long `Retry-After` asks to wait: seconds, whole or with a fraction, or a date. `nil` if there is no such header,
  /// or if it is neither.
  package func retryAfter(at now: Timestamp) -> Duration? {
    guard let text = self["Retry-After"]?.trimmedSpaces, !text.isEmpty else { return nil }
    if let seconds = Double(text), text.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || $0.isDigit }) {
      return .milliseconds(Int64((min(seconds, 1e9) * 1000).rounded(.up)))
    }
    guard let date = Timestamp(httpDate: text) else { return nil }
    return .milliseconds(max(0, date.milliseconds - now.milliseconds))
  }
}

extension Timestamp {
  /// The preferred form of RFC 9110, such as `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for other text.
  package init?(httpDate text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", let day = Int64(parts[1]), let year = Int64(parts[3]),
      let month = Self.months.firstIndex(of: String(parts[2])), (1...31).contains(day), (0...9999).contains(year)
    else { return nil }
    func padded(_ number: Int64, _ count: Int) -> String {
      String(repeating: "0", count: max(0, count - String(number).utf8.count)) + String(number)
    }
    self.init("\(padded(year, 4))-\(padded(Int64(month) + 1, 2))-\(padded(day, 2))T\(parts[4])Z")
  }

  /// The preferred form of RFC 9110.
  package var httpDate: String {
    let text = description
    let days = CivilDate(
      year: Int64(text.prefix(4)) ?? 1970, month: Int64(text.dropFirst(5).prefix(2)) ?? 1,
      day: Int64(text.dropFirst(8).prefix(2)) ?? 1
    ).daysSinceEpoch
    let weekday = Self.weekdays[Int(((days % 7) + 7 + 4) % 7)]
    let month = Self.months[max(0, min(11, (Int(text.dropFirst(5).prefix(2)) ?? 1) - 1))]
    return "\(weekday), \(text.dropFirst(8).prefix(2)) \(month) \(text.prefix(4)) \(text.dropFirst(11).prefix(8)) GMT"
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  /// Of the days since 1970-01-01, which was a Thursday, plus four.
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
}

extension String {
  fileprivate var trimmedSpaces: String {
    let inner = drop { $0 == " " || $0 == "\t" }
    return String(inner.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
