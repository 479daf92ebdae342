/// The limits of the service that `--limit name=value` changes.
struct ServeLimits: Sendable {
  enum Name: String, CaseIterable {
    case connections, address, polls, registrations, body, burst, rate, spread, unseen

    var range: ClosedRange<Int> {
      switch self {
      case .connections, .address, .polls, .registrations: 1...100_000
      case .body: 1024...1 << 26
      case .burst: 1...1_000_000
      case .rate: 1...100_000
      case .spread: 0...86_400
      case .unseen: 1...3650
      }
    }
  }

  static let help = """
    Change a limit: connections (4096), address (256, or a sixteenth of connections: those of one IPv4 address or IPv6 \
    /64 on which nobody has proved who they are), polls (2000 hosts that wait for changes), registrations (500 of one \
    user), body (1048576 bytes of a request), burst and rate (120 requests of a user at once, and 4 more a second), \
    spread (300 s, in which hosts fetch a changed policy), unseen (90 days, after which a registration ends). \
    Repeatable.
    """

  var connections = 4096
  /// How many connections of one address may be without a proof of who uses them: a sixteenth of all, unless it is set.
  private(set) var address = 256
  private var isAddressSet = false
  var polls = 2000
  var registrations = 500
  var body = 1 << 20
  var burst = 120
  var rate = 4
  var spread = 300
  var unseen = 90

  init(_ flags: [String]) throws(LimitFlagError) {
    for flag in flags { try set(flag) }
  }

  private mutating func set(_ flag: String) throws(LimitFlagError) {
    let parts = flag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = Name(rawValue: String(parts[0])) else { throw .unknownName(String(parts[0])) }
    guard parts.count == 2, let value = Int(parts[1]), name.range.contains(value) else { throw .outOfRange(name) }
    switch name {
    case .connections:
      connections = value
      if !isAddressSet { address = max(16, value / 16) }
    case .address: (address, isAddressSet) = (value, true)
    case .polls: polls = value
    case .registrations: registrations = value
    case .body: body = value
    case .burst: burst = value
    case .rate: rate = value
    case .spread: spread = value
    case .unseen: unseen = value
    }
  }
}

/// An error in a limit on the command line.
enum LimitFlagError: Error, CustomStringConvertible {
  case unknownName(String)
  case outOfRange(ServeLimits.Name)

  var description: String {
    switch self {
    case .unknownName(let name):
      "there is no limit \"\(name)\". Known limits: \(ServeLimits.Name.allCases.map(\.rawValue).joined(separator: ", "))"
    case .outOfRange(let name):
      "the limit \(name.rawValue) must be a whole number from \(name.range.lowerBound) to \(name.range.upperBound)"
    }
  }
}
