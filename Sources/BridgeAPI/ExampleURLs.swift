import Model

extension AbsoluteURL {
  static let exampleNumber = literal("tel:+4930123456")
  static let exampleLink = literal("https://teams.microsoft.com/l/meetup")

  private static func literal(_ text: StaticString) -> AbsoluteURL { AbsoluteURL("\(text)") ?? .blank }
}
