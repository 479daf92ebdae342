import JSON

/// What the server tells a host without being asked: name, params and documentation in one place.
package protocol Notification: Sendable {
  associatedtype Params: Record

  static var name: String { get }
  /// One line.
  static var summary: String { get }
  /// Edges; empty where the summary says all.
  static var details: String { get }
  static var example: Params { get }
  /// The members of the SDK this stands for, as "Class member", or "Class" for a notification of its own.
  static var sdkMembers: [String] { get }
}

extension Notification {
  package static var details: String { "" }
  package static var sdkMembers: [String] { [] }
}

/// A notification that is stored with a number, so that it can be read later.
package protocol Event: Notification where Params == EventParams<Body> {
  associatedtype Body: Record
}
