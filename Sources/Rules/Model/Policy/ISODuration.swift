/// A length of time in whole seconds, written as ISO 8601. `P1D`, `PT24H` and `PT1440M` are equal.
package struct ISODuration: Hashable, Sendable {
  package let seconds: Int64

  /// A negative number counts as 0.
  package init(seconds: Int64) {
    self.seconds = max(0, seconds)
  }

  /// Reads weeks, days, hours, minutes and seconds, as whole numbers in this order, such as `P90D`, `PT12H` or
  /// `P1DT6H`. `nil` for any other text, including months and years, whose length is not fixed.
  package init?(_ text: String) {
    var rest = Substring(text)
    guard rest.popFirst() == "P", let date = Self.sum(&rest, [("W", 604_800), ("D", 86_400)]) else { return nil }
    var time = (seconds: Int64(0), isEmpty: true)
    if rest.first == "T" {
      rest.removeFirst()
      guard let sum = Self.sum(&rest, [("H", 3600), ("M", 60), ("S", 1)]), !sum.isEmpty else { return nil }
      time = sum
    }
    let (total, overflow) = date.seconds.addingReportingOverflow(time.seconds)
    guard rest.isEmpty, !overflow, !(date.isEmpty && time.isEmpty) else { return nil }
    seconds = total
  }

  /// Reads the number before each designator, in order; `nil` if a number is too large.
  private static func sum(
    _ rest: inout Substring, _ designators: [(Character, Int64)]
  ) -> (seconds: Int64, isEmpty: Bool)? {
    var sum: Int64 = 0
    var isEmpty = true
    for (designator, factor) in designators {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard !digits.isEmpty, rest.dropFirst(digits.count).first == designator else { continue }
      guard let number = Int64(digits) else { return nil }
      let (product, tooLarge) = number.multipliedReportingOverflow(by: factor)
      let (total, overflow) = sum.addingReportingOverflow(product)
      guard !tooLarge, !overflow else { return nil }
      sum = total
      isEmpty = false
      rest = rest.dropFirst(digits.count + 1)
    }
    return (sum, isEmpty)
  }

  package var milliseconds: Int64 {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : product
  }
}

extension ISODuration: Comparable {
  package static func < (left: ISODuration, right: ISODuration) -> Bool { left.seconds < right.seconds }
}

extension ISODuration {
  /// The duration in words, such as `90 days` or `1 hour 30 minutes`; `0 seconds` for zero.
  package var spoken: String {
    let units: [(Int64, String)] = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
    var rest = seconds
    var parts: [String] = []
    for (length, name) in units where rest >= length {
      let count = rest / length
      parts.append("\(count) \(name)\(count == 1 ? "" : "s")")
      rest %= length
    }
    return parts.isEmpty ? "0 seconds" : parts.joined(separator: " ")
  }
}

extension ISODuration: CustomStringConvertible {
  /// The shortest form in days, hours, minutes and seconds; `PT0S` for zero.
  package var description: String {
    let days = part(86_400, of: seconds, "D")
    let hours = part(3600, of: seconds % 86_400, "H")
    let time = hours + part(60, of: seconds % 3600, "M") + part(1, of: seconds % 60, "S")
    guard seconds > 0 else { return "PT0S" }
    return "P" + days + (time.isEmpty ? "" : "T" + time)
  }

  private func part(_ unit: Int64, of amount: Int64, _ designator: String) -> String {
    amount / unit > 0 ? "\(amount / unit)\(designator)" : ""
  }
}
