import Support

/// An order of the policy source that no data of an account is wiped for now. The account is blocked instead.
package struct WipeHold: Hashable, Sendable {
  /// The reason, as its administrator wrote it.
  package let why: String
  package let since: Timestamp

  package init(why: String, since: Timestamp) {
    (self.why, self.since) = (why, since)
  }

  /// That wipes are on hold, since when and why, as a sentence.
  package var text: String {
    let reason = why.last.map { ".!?".contains($0) } ?? false ? why : why + "."
    return why.isEmpty ? "Wipes are on hold since \(since)." : "Wipes are on hold since \(since): \(reason)"
  }
}
