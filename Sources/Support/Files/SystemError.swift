import Glibc

/// The system's reason for a refusal.
package struct SystemError: Error, Equatable, Sendable {
  package let number: Int32

  package init(number: Int32) { self.number = number }

  /// That of the call which has just failed.
  package static var current: SystemError { SystemError(number: errno) }

  package var text: String { String(cString: strerror(number)) }
}
