/// What an input says about the cause.
package struct Verdict: Sendable {
  /// A cause that a signature decides.
  package struct Claim: Sendable {
    package let cause: PhoneCause
    /// The codes and signs that decide, as logs write them.
    package let because: [String]
    /// Where the last of them is.
    package let line: Int
    package let time: LogTime?
    /// Whether it is the cause of the newest attempt.
    package let isCurrent: Bool
  }

  /// In the order of the input.
  package var claims: [Claim] = []
  /// At most three causes that fit, if none is decided.
  package var candidates: [PhoneCause] = []

  package var isDecided: Bool { claims.contains(where: \.isCurrent) }

  private static let mostCandidates = 3
}

extension Verdict {
  /// - Parameters:
  ///   - signs: What the input says beside codes.
  ///   - doubted: Codes that somebody only asks about, or that may be cut. They decide nothing.
  init(_ attempts: [Attempt], signs: Set<PhoneSign>, doubted: Set<PhoneCode>) {
    let signs = Set(signs.map { PhoneCause.Evidence.sign($0) })
    let failures = attempts.filter(\.failed)
    let newest = attempts.last
    for attempt in failures {
      for (cause, signature) in Self.decided(attempt, in: signs) {
        claims.removeAll { $0.cause.number == cause.number }
        let place = attempt.place(of: signature.all)
        claims.append(
          Claim(
            cause: cause, because: signature.all.map(\.text).sorted(), line: place.line, time: place.time,
            isCurrent: attempt.line == newest?.line || newest.map(attempt.explains) == true))
      }
    }
    guard !isDecided else { return }
    let evidence = (failures.last ?? newest)?.evidence ?? []
    candidates = Self.candidates(evidence.union(signs).union(doubted.map { .code($0.name) }))
  }

  /// A code that says why wins over the status that it caused.
  private static func decided(
    _ attempt: Attempt, in input: Set<PhoneCause.Evidence>
  ) -> [(PhoneCause, PhoneCause.Signature)] {
    let evidence = attempt.evidence
    let found = PhoneCause.all.compactMap { cause in
      cause.decides.first { $0.matches(evidence, in: input) }.map { (cause, $0) }
    }
    let reasons = found.filter { $0.1.saysWhy }
    return reasons.isEmpty ? found : reasons
  }

  /// Those with the most evidence first, codes that say why before others; then those whose hint is more typical, which
  /// precedes their other hints.
  private static func candidates(_ evidence: Set<PhoneCause.Evidence>) -> [PhoneCause] {
    let found = PhoneCause.all.compactMap { cause -> (cause: PhoneCause, weight: Int, place: Int)? in
      let signatures = cause.hints + cause.decides
      let matching = signatures.indices.filter { signatures[$0].matches(evidence, in: evidence) }
      let weights = matching.map { signatures[$0].all.count * 2 + (signatures[$0].saysWhy ? 1 : 0) }
      guard let weight = weights.max(), let place = matching.first else { return nil }
      return (cause, weight, place)
    }
    let best = found.sorted { ($1.weight, $0.place, $0.cause.number) < ($0.weight, $1.place, $1.cause.number) }
    return best.prefix(mostCandidates).map(\.cause)
  }
}

extension Attempt {
  /// Whether a later attempt failed with the same status, and no new code says why.
  fileprivate func explains(_ later: Attempt) -> Bool {
    outcome != nil && outcome == later.outcome && later.codes.count == 1
  }
}

extension PhoneCause.Evidence {
  package var text: String {
    switch self {
    case .code(let name): name
    case .sign(let sign): sign.text
    }
  }
}
