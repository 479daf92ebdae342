import Glibc

/// Bytes that may contain a secret, in memory that is cleared before it is freed.
///
/// For data in transit: the parts of a message, a text on the way to its owner. Keys go into `SecretBytes`, whose
/// memory is also locked.
package final class ClearedBytes: @unchecked Sendable {  // owner of C memory that is never changed after creation
  package static let empty = ClearedBytes(UnsafeMutableRawBufferPointer(start: nil, count: 0))

  private let memory: UnsafeMutableRawBufferPointer

  package var count: Int { memory.count }

  private init(_ memory: UnsafeMutableRawBufferPointer) {
    self.memory = memory
  }

  /// Copies the bytes. `nil` if the system has no memory.
  package convenience init?(_ bytes: UnsafeRawBufferPointer) {
    guard let memory = malloc(max(1, bytes.count)) else { return nil }
    if let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
    self.init(UnsafeMutableRawBufferPointer(start: memory, count: bytes.count))
  }

  /// Copies parts one after another. `nil` if the system has no memory.
  package convenience init?(joining parts: [ClearedBytes]) {
    let size = parts.reduce(0) { $0 + $1.count }
    guard let memory = malloc(max(1, size)) else { return nil }
    var end = memory
    for part in parts where part.count > 0 {
      end.copyMemory(from: part.memory.baseAddress ?? end, byteCount: part.count)
      end += part.count
    }
    self.init(UnsafeMutableRawBufferPointer(start: memory, count: size))
  }

  deinit {
    memory.clear()
    free(memory.baseAddress)
  }

  /// The address must not escape `body`.
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

/// Has no description of its own, so that it cannot get into a log.
extension ClearedBytes: CustomStringConvertible, CustomReflectable {
  package var description: String { "ClearedBytes" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension [UInt8] {
  /// Overwrites bytes that may be a secret, if nothing else shares the array.
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
