import Model
import Testing

/// What `body` throws, if it is one of ours.
package func code(_ body: () throws -> Void) -> ErrorCode? { failure(body)?.code }

package func failure(_ body: () throws -> Void) -> MAMError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MAMError
  }
}

/// Fails the test where a reply among this text is an error that its method does not declare; a debug build of the
/// bridge says so.
package func expectDeclaredErrors(_ text: [UInt8]) {
  guard text.contains(Array("\"undeclared\":".utf8)) else { return }
  Issue.record("a method must list this error: \(String(decoding: text, as: UTF8.self))")
}
