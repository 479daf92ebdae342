import Glibc

/// Bytes that may hold a secret, in memory that is cleared before it is given back.
///
/// For what passes through: the parts of a message, a text on its way to its owner. A key lives in `SecretBytes`, whose
/// memory is locked too.
package final class ClearedBytes: @unchecked Sendable {  // owner of C memory that is never changed after creation
  package static let empty = ClearedBytes(UnsafeMutableRawBufferPointer(start: nil, count: 0))

  private let memory: UnsafeMutableRawBufferPointer

  package var count: Int { memory.count }

  private init(_ memory: UnsafeMutableRawBufferPointer) {
    self.memory = memory
  }

  /// A copy. Nil when the system has no memory for it.
  package convenience init?(_ bytes: UnsafeRawBufferPointer) {
    guard let memory = malloc(max(1, bytes.count)) else { return nil }
    if let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
    self.init(UnsafeMutableRawBufferPointer(start: memory, count: bytes.count))
  }

  deinit {
    memory.clear()
    free(memory.baseAddress)
  }

  /// The address must not leave `body`.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(memory).assumingMemoryBound(to: UInt8.self))
  }
}

extension ClearedBytes: Equatable {
  package static func == (left: ClearedBytes, right: ClearedBytes) -> Bool {
    left.withBytes { left in right.withBytes { left.elementsEqual($0) } }
  }
}

/// Has no text of its own, so that it cannot get into a log.
extension ClearedBytes: CustomStringConvertible, CustomReflectable {
  package var description: String { "ClearedBytes" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension [UInt8] {
  /// Overwrites what may be a secret, where nobody else holds the array.
  package mutating func clear() {
    withUnsafeMutableBytes { $0.clear() }
    removeAll()
  }
}

extension UnsafeMutableRawBufferPointer {
  package func clear() {
    if let baseAddress { explicit_bzero(baseAddress, count) }
  }
}
