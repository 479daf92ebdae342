import Model
import Support

extension LogMessage.Interpolation {
  public mutating func appendInterpolation(_ number: some BinaryInteger) { appendLiteral(String(number)) }
  public mutating func appendInterpolation(_ number: Double) { appendLiteral(number.description) }
  public mutating func appendInterpolation(_ flag: Bool) { appendLiteral(flag ? "true" : "false") }
  public mutating func appendInterpolation(_ text: StaticString) { appendLiteral(text.description) }
  public mutating func appendInterpolation(_ time: Timestamp) { appendLiteral(time.description) }
  public mutating func appendInterpolation(_ value: some SDKEnum) { appendLiteral(value.rawValue) }

  /// In milliseconds.
  package mutating func appendInterpolation(_ duration: Duration) {
    let microseconds = duration / .microseconds(1)
    appendLiteral("\(Int(microseconds) / 1000).\(Int(microseconds) / 100 % 10) ms")
  }

  /// Text that names no person, such as the name of a setting or of a method.
  public mutating func appendInterpolation(public text: String) { appendForeign(text) }

  /// Text that may tell who the user is: in clear in verbose lines only, else a pseudonym such as `<user:3fa1c2d4>`.
  public mutating func appendInterpolation(personal value: String, as label: StaticString = "user") {
    appendPersonal(value, label: label.description)
  }

  public mutating func appendInterpolation(personal value: String?, as label: StaticString = "user") {
    guard let value else { return appendLiteral("nobody") }
    appendPersonal(value, label: label.description)
  }

  public mutating func appendInterpolation(personal account: AccountReference?) {
    appendInterpolation(personal: account?.text)
  }

  /// By the object id where it is known.
  public mutating func appendInterpolation(personal account: Account) {
    appendInterpolation(personal: account.accountId ?? account.identity)
  }
}
