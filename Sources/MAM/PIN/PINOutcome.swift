import Policy

/// The result of a try.
enum PINVerdict: Equatable, Sendable {
  case right(mustChange: Bool)
  /// `triesLeft` is `nil` if any number of tries is allowed.
  case wrong(triesLeft: Int?)
  /// The PIN was wrong and this was the last try, or no try was left and the PIN was not checked.
  case exhausted
  case notSet
}

/// The result of choosing a new PIN.
enum PINChoice: Equatable, Sendable {
  case taken
  case refused(PINFault)
  /// The stored PIN is not what the caller expects: a PIN was set already, or there is none.
  case unwanted
}
