import JSON
import Support

/// The request that caused an event or a line of the log.
package struct RequestCause: Hashable, Sendable {
  /// A longer id is left out.
  private static let longestID = 64

  package var method: String
  /// Null for a notification, and for a long id.
  package var id: JSONValue

  package init(method: String, id: JSONValue) {
    self.method = method
    self.id = id
  }
}

extension RequestCause {
  package init(_ cause: CallCause) {
    let isKept = !cause.id.isEmpty && cause.id.count <= Self.longestID
    self.init(method: cause.method, id: isKept ? (try? JSONValue(parsing: cause.id)) ?? .null : .null)
  }

  /// The request that the current task answers; `nil` if there is none.
  package static var current: RequestCause? { CallContext.current?.cause.map(RequestCause.init) }
}

extension RequestCause: Record {
  package static let fields = Fields(
    Self.init(method:id:),
    Field("method", \.method, "The method of the request."),
    Field(
      "id", \.id,
      "The id of the request, as its connection sent it; null for a notification and for an id of over 64 bytes."))
}
