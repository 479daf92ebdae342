import Support

/// An order of the policy source that no data of an account is wiped for now. The account is blocked instead.
package struct WipeHold: Hashable, Sendable {
  /// The most characters of the reason.
  package static let longestReason = 500

  /// The reason, as its administrator wrote it.
  package let why: String
  package let since: Timestamp

  package init(why: String, since: Timestamp) {
    (self.why, self.since) = (why, since)
  }

  /// That wipes are on hold, since when and why.
  package var text: String { "W" + Self.sentence(since: since.description, why: why).dropFirst() }

  /// The sentence of every text about a hold, in lower case. Leaves out an actor or a reason that is empty.
  package static func sentence(since: String, by actor: String = "", why: String = "") -> String {
    let text = "wipes have been on hold since \(since)" + (actor.isEmpty ? "" : ", by \(actor)")
    let whole = text + (why.isEmpty ? "" : ": \(why)")
    return why.last.map { ".!?".contains($0) } ?? false ? whole : whole + "."
  }
}
