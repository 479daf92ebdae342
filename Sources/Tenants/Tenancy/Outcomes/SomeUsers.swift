/// A number of users, and the names of the first of them.
package struct SomeUsers: Hashable, Sendable {
  private static let mostNames = 3

  package private(set) var count = 0
  /// With their places in the tenant, ascending.
  private var first: [(place: Int, name: String)] = []

  init() {}

  /// The user principal names of the first three.
  package var names: [String] { first.map(\.name) }

  /// The place of the first user in the tenant.
  var firstPlace: Int { first.first?.place ?? .max }

  /// Users are added in the order of the tenant.
  mutating func add(_ name: String, at place: Int) {
    count += 1
    if first.count < Self.mostNames { first.append((place, name)) }
  }

  /// Adds users who are not among these.
  mutating func add(_ others: SomeUsers) {
    count += others.count
    first = Array((first + others.first).sorted { $0.place < $1.place }.prefix(Self.mostNames))
  }

  /// The names of the first three, and the number of the rest.
  package var text: String { names.briefly(of: count) }

  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.first.map(\.place) == right.first.map(\.place) && left.names == right.names
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    hasher.combine(names)
  }
}

extension [String] {
  /// The list as a clause, with the number of the names that it leaves out.
  package func briefly(of all: Int) -> String {
    joined(separator: ", ") + (all > count ? " and \((all - count).grouped) more" : "")
  }

  /// The whole list if it is short, else its first names and the number of the rest.
  package var briefly: String { count > 10 ? Array(prefix(3)).briefly(of: count) : joined(separator: ", ") }
}

extension Int {
  /// With commas between groups of three digits.
  package var grouped: String {
    let digits = Array(String(magnitude).utf8)
    var text: [UInt8] = self < 0 ? [UInt8(ascii: "-")] : []
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(UInt8(ascii: ",")) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
