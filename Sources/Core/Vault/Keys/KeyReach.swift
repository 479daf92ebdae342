import Model

/// Where a key, or a state, may come from. A thread that must not wait for the disk uses only what is in memory.
package enum KeyReach { case memory, disk }

/// An answer for which only the memory was within reach, or the disk, too.
package enum MemoryAnswer<Value> {
  case now(Value)
  /// The memory does not have the answer. Never the case if the disk was within reach.
  case needsDisk

  package func map<Other, Failure: Error>(
    _ transform: (Value) throws(Failure) -> Other
  ) throws(Failure) -> MemoryAnswer<Other> {
    switch self {
    case .now(let value): .now(try transform(value))
    case .needsDisk: .needsDisk
    }
  }

  /// The value of an answer for which the disk was within reach.
  package func get() throws(MAMError) -> Value {
    guard case .now(let value) = self else { throw MAMError(.internalError, "the disk gave no answer") }
    return value
  }
}

extension MemoryAnswer: Sendable where Value: Sendable {}
