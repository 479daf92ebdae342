import Policy

/// What a try ends with.
enum PINVerdict: Equatable, Sendable {
  case right(mustChange: Bool)
  /// Nil where any number of tries may follow.
  case wrong(triesLeft: Int?)
  /// It was the last try, or there was none left and it was not looked at.
  case exhausted
  case notSet
}

/// What a new PIN ends with.
enum PINChoice: Equatable, Sendable {
  case taken
  case refused(PINFault)
  /// Another one is there by now, or none.
  case unwanted
}
