/// Waits until a condition holds; false when it does not within the time.
package func eventually(
  within limit: Duration = .seconds(20), isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async -> Bool {
  let end = ContinuousClock.now + limit
  while !condition() {
    guard ContinuousClock.now < end else { return false }
    try? await Task.sleep(for: .milliseconds(2))
  }
  return true
}
