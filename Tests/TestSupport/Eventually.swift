import Testing

extension Duration {
  /// What ends by itself takes less, on any machine: what is compared with this would otherwise wait for much longer.
  package static let soon = Duration.seconds(20)
}

/// Waits until a condition holds; false when it does not within the time.
package func eventually(
  within limit: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async -> Bool {
  let end = ContinuousClock.now + limit
  while !condition() {
    guard ContinuousClock.now < end else { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}

/// Waits until `value` is the wanted one, and fails the test with what it is if it does not become so.
package func expectEventually<Value: Equatable>(
  _ wanted: Value, _ comment: Comment? = nil, within limit: Duration = .seconds(60),
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  _ value: () -> Value
) async {
  var found = value()
  _ = await eventually(within: limit) {
    found = value()
    return found == wanted
  }
  #expect(found == wanted, comment, sourceLocation: sourceLocation)
}
