import SourceProtocol
import Support

/// The faults that a test has planted in the policy source of a sandbox: at most one in the source, and one in what it
/// says about tokens.
package final class PlantedFaults: Sendable {
  package enum Place: String, CaseIterable, Sendable { case source, token }

  package typealias Kind = FaultKind
  package typealias Fault = PlantedFault

  private let board = FaultBoard<Place>()
  private let listener: @Sendable (String, Timestamp) -> Void

  /// `listener` is told in plain words that a fault has hit an answer, and when.
  package init(tellingHits listener: @escaping @Sendable (String, Timestamp) -> Void) {
    self.listener = listener
  }

  /// Plants a fault, in place of the one that is there. Does nothing for one that no policy source has.
  package func plant(_ fault: Fault) {
    if let place = fault.kind.place { board.plant(fault, at: place) }
  }

  package func clear() { board.replace(with: [:]) }

  func kind(at place: Place) -> Kind? { board[place]?.kind }

  /// Whether a fault ends after some answers.
  var areCounted: Bool { board.all.values.contains { $0.times != nil } }

  var isEmpty: Bool { board.all.isEmpty }

  /// The fault that hits the next answer: that of the source, because a source that fails looks at no token. Counts it.
  func take(at time: Timestamp) -> Fault? {
    guard let (place, fault) = board.take(Place.allCases) else { return nil }
    listener(fault.hit(at: place), time)
    return fault
  }
}

extension FaultKind {
  /// `nil` for what a policy source cannot have.
  package var place: PlantedFaults.Place? {
    switch self {
    case .unreachable, .slow, .tooManyRequests, .serviceUnavailable, .cut, .malformed, .otherUser: .source
    case .needed, .expired, .refused: .token
    case .nextLinkLoop, .claimsChallenge, .disabled, .mfaRequired, .consentRequired: nil
    }
  }
}
