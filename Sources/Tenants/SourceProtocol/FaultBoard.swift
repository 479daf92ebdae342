import Support

/// How an answer fails because a test asks for it. Each place of a board has some of these.
package enum FaultKind: String, CaseIterable, Sendable {
  // The way of an answer.
  case unreachable, slow, tooManyRequests, serviceUnavailable, cut, malformed
  // What it says.
  case otherUser, nextLinkLoop
  // What it says about a token.
  case needed, expired, refused, claimsChallenge
  // What it says to somebody who signs in.
  case disabled, mfaRequired, consentRequired

  /// Whether the fault takes a length of time: that of the answer, or how long the sender wants to be left alone.
  package var takesDelay: Bool { [.slow, .tooManyRequests, .serviceUnavailable].contains(self) }
}

/// A fault that waits for answers to hit.
package struct PlantedFault: Hashable, Sendable {
  package let kind: FaultKind
  /// How many answers it hits; `nil` for all until it is cleared.
  package var times: Int64?
  /// `nil` for the usual one.
  package let delay: Duration?

  package init(_ kind: FaultKind, times: Int64? = nil, delay: Duration? = nil) {
    (self.kind, self.times, self.delay) = (kind, times, delay)
  }

  /// For the one who reads what happened. The fault has been counted.
  package func hit(at place: some RawRepresentable<String>) -> String {
    let left = times.map { $0 == 1 ? ", for the last time" : ", \($0 - 1) more to come" } ?? ""
    return "the planted fault \(kind.rawValue) of the \(place.rawValue) hits an answer\(left)"
  }
}

/// The planted faults, at most one at each place.
package final class FaultBoard<Place: Hashable & Sendable>: Sendable {
  private let planted = Lock<[Place: PlantedFault]>([:])

  package init() {}

  package var all: [Place: PlantedFault] { planted.withLock { $0 } }

  package subscript(place: Place) -> PlantedFault? { planted.withLock { $0[place] } }

  /// Plants a fault, in place of the one that is there.
  package func plant(_ fault: PlantedFault, at place: Place) { planted.withLock { $0[place] = fault } }

  /// Plants these faults and no others.
  package func replace(with faults: [Place: PlantedFault]) { planted.withLock { $0 = faults } }

  /// The fault that hits an answer, with the number of those that it had still to hit: at the first of the places that
  /// has one. Counts it.
  package func take(
    _ places: [Place], where fits: (PlantedFault) -> Bool = { _ in true }
  ) -> (place: Place, fault: PlantedFault)? {
    planted.withLock { planted in
      guard let place = places.first(where: { planted[$0].map(fits) ?? false }), let fault = planted[place] else {
        return nil
      }
      let left = fault.times.map { $0 - 1 }
      planted[place] = left == 0 ? nil : fault
      planted[place]?.times = left
      return (place, fault)
    }
  }
}
