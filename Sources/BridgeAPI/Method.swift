import JSON

/// One request of the wire: name, types, errors and documentation in one place.
package protocol Method: Sendable {
  associatedtype Params: Record
  associatedtype Result: FieldValue

  static var name: String { get }
  /// One line.
  static var summary: String { get }
  /// Edges, commit point, units; empty where the summary says all.
  static var details: String { get }
  static var resultSummary: String { get }
  /// Those beside invalid params and the transport's own.
  static var errors: [APIError] { get }
  static var example: Example<Params, Result> { get }
  /// The members of the SDK this stands for, as "Class member".
  static var sdkMembers: [String] { get }
}

extension Method {
  package static var details: String { "" }
  package static var errors: [APIError] { [] }
  package static var sdkMembers: [String] { [] }
}

/// A call and its answer, for the schema.
package struct Example<Params: Record, Result: FieldValue>: Sendable {
  package let params: Params
  package let result: Result

  package init(_ params: Params, _ result: Result) {
    self.params = params
    self.result = result
  }
}

extension Example where Params == NoParameters {
  package init(_ result: Result) {
    self.init(NoParameters(), result)
  }
}

/// An error as the schema lists it.
package struct APIError: Hashable, Sendable {
  package let code: Int
  /// The stable symbol in `data.name`.
  package let name: String
  package let summary: String

  package init(_ code: Int, _ name: String, _ summary: String) {
    self.code = code
    self.name = name
    self.summary = summary
  }
}
