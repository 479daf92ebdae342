import Support
import Testing

/// For a suite whose tests block their thread while they wait: it runs on threads made for that, and the cooperative
/// pool, which has as many as there are cores, is left to what they wait for.
package struct OwnThreads: SuiteTrait, TestScoping {
  private static let executor = BlockingExecutor(threadCount: 8)

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Self.executor) { try await function() }
  }
}

extension Trait where Self == OwnThreads {
  package static var ownThreads: Self { Self() }
}
