/// A request of the server to a host, declared as a method is. Its errors are those by which a host may refuse.
package protocol HostRequest: Method {
  /// What happens when no connection has declared it, when none answers in time, and when an answer is wrong.
  static var defaultOutcome: String { get }
}
