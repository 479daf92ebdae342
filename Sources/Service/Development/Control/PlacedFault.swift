import HTTP
import JSON
import Model
import SourceProtocol
import Support

/// What of a development tenant can fail.
enum FaultyPlace: String, CaseIterable, NamedValue {
  case checkIn, graph, token, keys

  private static let network: [FaultKind] = [
    .unreachable, .slow, .tooManyRequests, .serviceUnavailable, .cut, .malformed,
  ]

  var kinds: [FaultKind] {
    switch self {
    case .checkIn: Self.network + [.expired, .refused, .claimsChallenge]
    case .graph: Self.network + [.nextLinkLoop, .expired, .refused, .claimsChallenge]
    case .token: Self.network + FaultKind.signIns
    case .keys: Self.network
    }
  }

  /// `nil` for a request that no fault hits.
  init?(_ request: HTTPRequest) {
    guard let path = HTTPTarget(request.url)?.path else { return nil }
    switch (path.first, SignInRoute(request.url)) {
    case ("mam", _) where path == ["mam", "v1", "check-in"]: self = .checkIn
    case ("v1.0", _), ("beta", _): self = .graph
    case (_, .token): self = .token
    case (_, .keys): self = .keys
    default: return nil
    }
  }
}

extension FaultKind: NamedValue {}

/// A planted fault as `/dev/faults` reads and writes it.
struct PlacedFault: Record {
  private static let mostTimes: Int64 = 1000

  var at: FaultyPlace
  var kind: FaultKind
  var times: Int64?
  var delay: FaultDelay?

  static let fields = Fields(
    Self.init, Field("at", \.at, "What fails."), Field("kind", \.kind, "How it fails."),
    Field("times", \.times, "How many answers it hits; defaults to all until it is cleared."),
    Field("delay", \.delay, "How long a slow answer takes, or Retry-After; such as PT30S or PT1.5S."))

  init(at: FaultyPlace, kind: FaultKind, times: Int64?, delay: FaultDelay?) {
    (self.at, self.kind, self.times, self.delay) = (at, kind, times, delay)
  }

  init(_ place: FaultyPlace, _ fault: PlantedFault) {
    self.init(at: place, kind: fault.kind, times: fault.times, delay: fault.delay.map(FaultDelay.init))
  }

  /// What is wrong with it; `nil` for one that can be planted.
  var problem: String? {
    guard at.kinds.contains(kind) else {
      let kinds = at.kinds.map(\.rawValue).joined(separator: ", ")
      return "/kind: \(at.rawValue) has no fault \(kind.rawValue). Use one of: \(kinds)."
    }
    guard times.map({ (1...Self.mostTimes).contains($0) }) ?? true else {
      return "/times: must be 1 to \(Self.mostTimes)."
    }
    return delay != nil && !kind.takesDelay ? "/delay: \(kind.rawValue) has no delay. Leave it out." : nil
  }

  var planted: PlantedFault { PlantedFault(kind, times: times, delay: delay?.duration) }
}

/// A length of time with milliseconds, up to a day: an ISO 8601 duration whose seconds may have a fraction.
struct FaultDelay: FieldValue, Hashable {
  private static let longest: Int64 = 86_400_000

  let milliseconds: Int64

  init(_ duration: Duration) { milliseconds = Int64(duration / .milliseconds(1)) }

  init?(_ text: String) {
    if let whole = ISODuration(text) {
      milliseconds = whole.milliseconds
    } else {
      let parts = text.dropFirst(2).dropLast().split(separator: ".", omittingEmptySubsequences: false)
      guard text.hasPrefix("PT"), text.hasSuffix("S"), parts.count == 2, (1...3).contains(parts[1].count),
        parts.joined().utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let seconds = Int64(parts[0]), let rest = Int64(parts[1].padded), seconds < Self.longest / 1000
      else { return nil }
      milliseconds = seconds * 1000 + rest
    }
    guard milliseconds <= Self.longest else { return nil }
  }

  var duration: Duration { .milliseconds(milliseconds) }

  /// In seconds, as Retry-After has it where a server is not strict: RFC 9110 knows no fraction.
  var seconds: String {
    let rest = milliseconds % 1000
    guard rest > 0 else { return "\(milliseconds / 1000)" }
    let digits = String(String(rest + 1000).dropFirst().reversed().drop { $0 == "0" }.reversed())
    return "\(milliseconds / 1000).\(digits)"
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> FaultDelay {
    guard let value = FaultDelay(try String.decode(node)) else {
      throw JSONDecodingError(.invalid("must be an ISO 8601 duration of at most a day, such as PT30S or PT1.5S"))
    }
    return value
  }

  func encode(to writer: inout JSONWriter) { writer.string("PT\(seconds)S") }

  static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "string", "format": "duration"] }
}

extension Substring {
  /// As thousandths.
  fileprivate var padded: String { self + String(repeating: "0", count: 3 - count) }
}
