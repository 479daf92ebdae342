import Model

/// What `body` throws, if it is one of ours.
package func code(_ body: () throws -> Void) -> MAMError.Code? { failure(body)?.code }

package func failure(_ body: () throws -> Void) -> MAMError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MAMError
  }
}
