import JSON

/// What the user is told of something that a policy forbids, in the language of the connection.
public struct Refusal: Record, Hashable, Sendable {
  public var title: String
  public var message: String

  package init(title: String, message: String) {
    self.title = title
    self.message = message
  }

  package static let schemaName: String? = "Refusal"
  package static let fields = Fields(
    Self.init(title:message:), Field("title", \.title, "The title of an alert."),
    Field("message", \.message, "Its text."))
}
