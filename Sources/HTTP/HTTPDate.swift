import Support

/// Dates and waits in the headers of HTTP messages.
package enum HTTPDate {
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// The form of RFC 9110, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  package static func text(_ time: Timestamp) -> String {
    let text = Array("\(time)")  // 1994-11-06T08:49:37.000Z
    let days = (time.milliseconds - (time.milliseconds % dayLength + dayLength) % dayLength) / dayLength
    let day = Self.days[Int((days % 7 + 7) % 7)]
    let month = Int(String(text[5..<7])).map { months[$0 - 1] } ?? ""
    return "\(day), \(String(text[8..<10])) \(month) \(String(text[0..<4])) \(String(text[11..<19])) GMT"
  }

  /// `nil` for text in another form; the two obsolete forms are not read.
  package static func time(_ text: String) -> Timestamp? {
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[5] == "GMT", parts[1].utf8.count == 2, parts[3].utf8.count == 4,
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return Timestamp("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }

  private static let dayLength = CivilDate.millisecondsPerDay
}

extension HTTPResponse {
  /// The wait that the header Retry-After asks for: a number of seconds, whole or with a fraction, or a date. `nil` if
  /// there is none that can be read. At most a day.
  package func retryAfter(at now: Timestamp) -> Duration? {
    guard let text = headers["Retry-After"] else { return nil }
    let longest = 86_400.0
    if let seconds = Double(text), seconds >= 0 { return .seconds(min(seconds, longest)) }
    guard let time = HTTPDate.time(text) else { return nil }
    return .seconds(min(max(0, Double(time.milliseconds - now.milliseconds) / 1000), longest))
  }
}
