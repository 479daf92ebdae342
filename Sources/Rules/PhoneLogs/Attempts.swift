/// One try to enroll or to check in, from its first code to the status that ends it.
struct Attempt {
  /// A hash or a name; `nil` if no line names the account.
  var account: String?
  /// In the order of their first lines.
  private(set) var codes: [PhoneCode] = []
  private var places: [PhoneCode: Place] = [:]
  var signs: Set<PhoneSign> = []
  /// The last status that ended the attempt; `nil` if the input does not show it.
  var outcome: PhoneCode?
  /// The line of the last code.
  private(set) var line = 0

  struct Place {
    let line: Int
    let time: LogTime?
  }

  mutating func add(_ code: PhoneCode, at place: Place) {
    line = place.line
    if code.endsAttempt { outcome = code }
    guard places[code] == nil else { return }
    codes.append(code)
    places[code] = place
  }

  /// Where the last of these codes is first; where the attempt ends if none of them is in it.
  func place(of names: Set<PhoneCause.Evidence>) -> Place {
    let found = places.filter { names.contains(.code($0.key.name)) }.values
    return found.max { $0.line < $1.line } ?? Place(line: line, time: codes.last.flatMap { places[$0] }?.time)
  }

  var evidence: Set<PhoneCause.Evidence> {
    Set(codes.map { .code($0.name) }).union(signs.map { .sign($0) })
  }

  var failed: Bool { outcome?.isFailure ?? !codes.isEmpty }
}

/// The attempts in an input, in its order. A later success of an account ends what failed before.
struct Attempts {
  /// Older attempts say nothing about the newest; an input with more is a long log.
  private static let most = 200

  private(set) var all: [Attempt] = []

  mutating func add(_ code: PhoneCode, account: String?, at place: Attempt.Place) {
    if startsAttempt(code, account: account) { start() }
    let last = all.endIndex - 1
    all[last].add(code, at: place)
    all[last].account = all[last].account ?? account
    if code.isSuccess { cancelFailures(before: last) }
  }

  mutating func add(_ sign: PhoneSign) {
    if all.isEmpty || all.last?.outcome?.isSuccess == true { start() }
    all[all.endIndex - 1].signs.insert(sign)
  }

  private mutating func start() {
    if all.count == Self.most { all.removeFirst() }
    all.append(Attempt())
  }

  /// A log repeats a status in several lines, and says after it why it failed.
  private func startsAttempt(_ code: PhoneCode, account: String?) -> Bool {
    guard let last = all.last else { return true }
    if let account, let other = last.account, account != other { return true }
    guard let outcome = last.outcome else { return false }
    guard code.endsAttempt else { return outcome.isSuccess }
    return outcome != code || last.codes.last.map { $0 != code } ?? false
  }

  private mutating func cancelFailures(before last: Int) {
    let account = all[last].account
    let success = all[last]
    all.removeAll { attempt in
      attempt.line != success.line && attempt.failed
        && (account == nil || attempt.account == nil || attempt.account == account)
    }
    if all.isEmpty { all = [success] }
  }
}
