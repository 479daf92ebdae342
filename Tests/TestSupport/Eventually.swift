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
