import Model
import Support

/// The faults that a test has planted in the policy source of a sandbox: at most one in the source, and one in what it
/// says about tokens.
package final class PlantedFaults: Sendable {
  package enum Place: String, CaseIterable, Sendable { case source, token }

  package enum Kind: String, CaseIterable, Sendable {
    case unreachable, slow, tooManyRequests, serviceUnavailable, cut, malformed, otherUser
    case needed, expired, refused

    package var place: Place {
      switch self {
      case .unreachable, .slow, .tooManyRequests, .serviceUnavailable, .cut, .malformed, .otherUser: .source
      case .needed, .expired, .refused: .token
      }
    }

    /// Whether the fault takes a length of time: that of the answer, or how long the source wants to be left alone.
    package var takesDelay: Bool { [.slow, .tooManyRequests, .serviceUnavailable].contains(self) }
  }

  package struct Fault: Sendable {
    package let kind: Kind
    /// How many answers it hits; `nil` for all until it is cleared.
    package var times: Int64?
    /// `nil` for the usual one.
    package let delay: Duration?

    package init(_ kind: Kind, times: Int64? = nil, delay: Duration? = nil) {
      (self.kind, self.times, self.delay) = (kind, times, delay)
    }
  }

  private let planted = Lock<[Place: Fault]>([:])
  private let listener: @Sendable (String, Timestamp) -> Void

  /// `listener` is told in plain words that a fault has hit an answer, and when.
  package init(tellingHits listener: @escaping @Sendable (String, Timestamp) -> Void) {
    self.listener = listener
  }

  /// Plants a fault, in place of the one that is there.
  package func plant(_ fault: Fault) { planted.withLock { $0[fault.kind.place] = fault } }

  package func clear() { planted.withLock { $0 = [:] } }

  func kind(at place: Place) -> Kind? { planted.withLock { $0[place]?.kind } }

  /// Whether a fault ends after some answers.
  var areCounted: Bool { planted.withLock { $0.values.contains { $0.times != nil } } }

  var isEmpty: Bool { planted.withLock(\.isEmpty) }

  /// The fault that hits the next answer: that of the source, because a source that fails looks at no token. Counts it.
  func take(at time: Timestamp) -> Fault? {
    let taken = planted.withLock { planted -> Fault? in
      guard let place = Place.allCases.first(where: { planted[$0] != nil }), let fault = planted[place] else {
        return nil
      }
      let left = fault.times.map { $0 - 1 }
      planted[place] = left == 0 ? nil : fault
      planted[place]?.times = left
      return fault
    }
    if let taken {
      let left = taken.times.map { $0 == 1 ? ", for the last time" : ", \($0 - 1) more to come" } ?? ""
      let (kind, place) = (taken.kind.rawValue, taken.kind.place.rawValue)
      listener("the planted fault \(kind) of the \(place) hits an answer\(left)", time)
    }
    return taken
  }
}
