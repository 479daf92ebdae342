import JSON
import MAM
import Model

/// What fails.
enum FaultPlace: String, CaseIterable, Sendable, NamedValue {
  case source, token, clock
}

/// How it fails.
enum FaultKind: String, CaseIterable, Sendable, NamedValue {
  case unreachable, slow, tooManyRequests, serviceUnavailable, cut, malformed, otherUser
  case needed, expired, refused
  case jump

  /// `nil` for what is no fault of a policy source.
  fileprivate var ofSource: PlantedFaults.Kind? { PlantedFaults.Kind(rawValue: rawValue) }
  fileprivate var place: FaultPlace { (ofSource?.place).flatMap { FaultPlace(rawValue: $0.rawValue) } ?? .clock }
  fileprivate var takesDelay: Bool { ofSource?.takesDelay ?? true }
}

/// How many answers a fault hits.
struct FaultTimes: BoundedInteger {
  static let range: ClosedRange<Int64> = 1...1000
  let value: Int64
  init(known value: Int64) { self.value = value }
}

enum PlantFault: SandboxMethod {
  static let name = "sandbox.fault"
  static let summary = "Let the policy source, its tokens or the clock fail, as in the field."
  static let details = """
    A fault hits the answers to check-ins until it is cleared, or as often as times says; sandbox.story tells of each. \
    There is one fault at a time of the source, and one of its tokens. Nothing waits: an answer that would come too late \
    is too late at once. Programs that joined the sandbox have none of it.

    Of the source: unreachable; slow, with the delay after which it would answer (over 25 seconds if none is given); \
    tooManyRequests is status 429, with the delay as Retry-After (PT30S); serviceUnavailable is status 503, with the delay \
    as Retry-After (none); cut, an answer that ends in the middle; malformed, an answer that is not JSON; otherUser, an \
    answer about another user. While there is one, tenant.status says only what was delivered.

    Of the token: needed, the source answers only for a token, which auth.acquireToken, enrollmentDelegate.getAccessToken \
    or --token-command must give; expired and refused, it refuses any token.

    Of the clock: jump, at once and forward by the delay, at least PT5M, as if a user had set the clock of the machine; \
    nothing that is due runs by itself.
    """
  struct Params: Record {
    var at: FaultPlace
    var kind: FaultKind
    var times: FaultTimes?
    var delay: AdvanceDuration?
    static let fields = Fields(
      Self.init, Field("at", \.at, "What fails."), Field("kind", \.kind, "How it fails."),
      Field("times", \.times, "How many answers it hits, at most 1,000; defaults to all until it is cleared."),
      Field("delay", \.delay, "A length of time, such as PT30S, for the kinds that have one."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(at: .source, kind: .serviceUnavailable, times: 2), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) throws(MAMError) -> Nothing {
    try check(params)
    if let kind = params.kind.ofSource {
      let delay = params.delay.map { Duration.milliseconds($0.duration.milliseconds) }
      sandbox.faults.plant(PlantedFaults.Fault(kind, times: params.times?.value, delay: delay))
    } else {
      try connection.core.scheduler.jump(byMilliseconds: params.delay?.duration.milliseconds ?? 0)
    }
    return Nothing()
  }

  private static func check(_ params: Params) throws(MAMError) {
    let (kind, place) = (params.kind, params.kind.place)
    guard place == params.at else {
      let kinds = FaultKind.allCases.filter { $0.place == params.at }.map(\.rawValue).joined(separator: ", ")
      throw wrong(
        "kind", "\(kind.rawValue) is a fault of the \(place.rawValue), not of the \(params.at.rawValue)",
        "With at \(params.at.rawValue), use one of: \(kinds)")
    }
    guard params.delay == nil || kind.takesDelay else {
      throw wrong("delay", "\(kind.rawValue) has no delay", "Leave it out")
    }
    guard kind == .jump else { return }
    guard params.times == nil else { throw wrong("times", "the clock jumps once", "Leave it out") }
    guard let delay = params.delay, delay.duration.milliseconds >= Scheduler.shortestJump else {
      throw wrong("delay", "a jump is at least PT5M: the clocks of machines are often set by less", "Say how far")
    }
  }

  private static func wrong(_ name: String, _ text: String, _ hint: String) -> MAMError {
    MAMError(.invalidParams, "/\(name): \(text)", hint: hint, path: "/\(name)")
  }
}

enum ClearFaults: SandboxMethod {
  static let name = "sandbox.clearFaults"
  static let summary = "End all planted faults. A clock that has jumped stays where it is."
  static let details = "sandbox.restore and sandbox.reset end them, too."
  typealias Params = NoParameters
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) -> Nothing {
    sandbox.faults.clear()
    return Nothing()
  }
}
