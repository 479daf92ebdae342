import Model
import Support

/// The checks that a host has switched off for its threads.
final class StrictExemptions: Sendable {
  private static let maximumCount = 10_000
  private static let maximumLength = 4096

  private let threads = Lock<[String: Set<StrictCheck>]>([:])

  func contains(_ check: StrictCheck, of thread: String) -> Bool {
    threads.withLock { $0[thread]?.contains(check) ?? false }
  }

  /// Throws 4002 if the name is too long, or if too many threads have exemptions.
  func add(_ checks: [StrictCheck], to thread: String) throws(MAMError) {
    let isAdded = threads.withLock { threads in
      guard thread.utf8.count <= Self.maximumLength, threads[thread] != nil || threads.count < Self.maximumCount
      else { return false }
      threads[thread, default: []].formUnion(checks)
      return true
    }
    guard isAdded else {
      throw MAMError(
        .tooManyIdentities, "a name is longer than 4 KiB, or there are \(Self.maximumCount) threads with exemptions",
        hint: "End the exemptions of threads that are gone, with strictMode.enable")
    }
  }

  func remove(_ checks: [StrictCheck], from thread: String) {
    threads.withLock { threads in
      guard let rest = threads[thread]?.subtracting(checks) else { return }
      threads[thread] = rest.isEmpty ? nil : rest
    }
  }
}
