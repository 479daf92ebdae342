/// What hosts ask for, and what follows. The statuses are the answers.
extension ModelApp {
  mutating func register(_ name: String?, by process: Int) -> Int64 {
    guard let name else {
      tell(ModelEvent.enrollment, nil, 207)
      return 207
    }
    if let known = account(name) { return known.isEnrolled ? 208 : known.code }
    return attempt(name, by: process)
  }

  /// A sign-in that came to its end.
  mutating func signIn(_ name: String, isCanceled: Bool, by process: Int) -> Int64 {
    guard isCanceled else { return attempt(name, by: process) }
    tell(ModelEvent.enrollment, name, 219)
    return 219
  }

  mutating func deregister(_ name: String?, withWipe: Bool) -> Int64 {
    guard let name else {
      tell(ModelEvent.unenrollment, nil, 207)
      return 207
    }
    guard let account = account(name) else {
      let code: Int64 = accounts.contains(where: \.isEnrolled) ? 214 : 213
      tell(ModelEvent.unenrollment, name, code)
      return code
    }
    if withWipe {
      wipe(account)
    } else {
      tell(ModelEvent.unenrollment, name, 104)
      accounts.removeAll { $0.name == name }
      tellEnd(of: account)
    }
    return 104
  }

  /// Nil for all accounts.
  mutating func checkIn(_ name: String?, by process: Int) -> [Int64] {
    guard let name else { return checkIn(accounts.map(\.name), by: process) }
    guard account(name) != nil else { return [accounts.contains(where: \.isEnrolled) ? 214 : 213] }
    return checkIn([name], by: process)
  }

  mutating func checkIn(_ names: [String], by process: Int) -> [Int64] {
    reading(about: names, by: process) { app in names.map { app.checkIn($0, by: process) } }
  }

  /// What is due happens on the way, each at its time; the restart of the application is asked for at the end.
  mutating func advance(by milliseconds: Int64, by process: Int) {
    let (end, managed) = (now + milliseconds, Set(accounts.filter(\.isManaged).map(\.name)))
    var outcomes: [Outcome] = []
    while accounts.contains(where: { $0.due <= end }) {
      let names = accounts.filter { $0.due <= end }.map(\.name)
      outcomes += reading(about: names) { app in app.checkInDue(through: end, by: process) }
    }
    now = end
    followUp(outcomes, managedBefore: managed, by: process)
  }

  func unprotects(_ data: ModelData) -> Result<String, ModelError> {
    guard data.isEncrypted else { return .success(data.text) }
    guard isManagementEnabled else { return .failure(.notManaged) }
    guard !data.isLost, account(data.owner)?.isManaged == true else { return .failure(.unreadable) }
    return .success(data.text)
  }

  private mutating func attempt(_ name: String, by process: Int) -> Int64 {
    remember(name)
    let codes = reading(about: [name], by: process) { app in
      if app.account(name) == nil { app.accounts.append(ModelAccount(name)) }
      return [app.checkIn(name, by: process)]
    }
    return codes[0]
  }

  /// As far as a wipe that begins: that comes before what is due later.
  private mutating func checkInDue(through end: Int64, by process: Int) -> [Outcome] {
    var outcomes: [Outcome] = []
    while let next = accounts.min(by: { $0.due < $1.due }), next.due <= end {
      now = max(now, next.due)
      outcomes.append(checkIn(next.name, by: process))
      if account(next.name)?.wipe != nil { break }
    }
    return outcomes
  }
}

/// The codes of the SDK's errors of protected data.
enum ModelError: Int64, Error {
  case notManaged = 1100
  case unreadable = 1103
}
