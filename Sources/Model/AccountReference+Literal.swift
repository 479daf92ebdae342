extension AccountReference: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(value) }
}
