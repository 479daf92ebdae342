import Glibc
import JSON

/// What answers the requests of one connection.
package protocol MethodHandler: Sendable {
  /// Writes the result at once and returns nil, or returns the work that will have it later.
  ///
  /// Called on the reading thread: what may touch a disk or wait belongs into the work. Params by name may hold `_meta`,
  /// which is the session's own.
  func call(
    _ method: String, _ params: JSONNode?, into writer: inout JSONWriter
  ) throws(RPCError) -> Work?

  /// What to tell a host whose request got -32601. Not called for notifications, which nobody answers.
  func hint(forUnknown method: String) -> String?

  /// Called once, before the first call.
  func connectionDidBegin(_ peer: any Peer)

  /// Called on the reading thread for an answer of the host to no question; it was dropped.
  func didDrop(_ answer: StrayAnswer)

  /// Called once, on the reading thread, when the answer to `initialize` is queued: what the host is asked from here on
  /// comes behind it.
  func didAnswerHandshake()

  /// Called once, after the last call.
  func connectionDidEnd()
}

extension MethodHandler {
  package func hint(forUnknown method: String) -> String? { nil }
  package func connectionDidBegin(_ peer: any Peer) {}
  package func didDrop(_ answer: StrayAnswer) {}
  package func connectionDidEnd() {}
  package func didAnswerHandshake() {}
}

/// A call that runs elsewhere. Its result is JSON text.
///
/// It runs with a `CommitPoint` as the current one, and is cancelled as a task when its answer is no longer wanted.
package struct Work: Sendable {
  /// Calls of one connection with the same key run one after the other.
  package var queue: String?
  /// Whether it only waits for something to tell: it may be answered after those behind it, in a script too, and is
  /// cancelled at the end of input to answer with what it has.
  package var isWaiting = false
  /// Undoes what the call has done on the reading thread, before it is told that nothing happened: it was refused, or
  /// stopped before its commit point. Must not block.
  package let takeBack: @Sendable () -> Void
  package let run: @Sendable () async throws(RPCError) -> [UInt8]

  package init(
    queue: String? = nil, isWaiting: Bool = false, takeBack: @escaping @Sendable () -> Void = {},
    _ run: @escaping @Sendable () async throws(RPCError) -> [UInt8]
  ) {
    self.queue = queue
    self.isWaiting = isWaiting
    self.takeBack = takeBack
    self.run = run
  }
}

/// The names of methods that were called lately: a name of more than 15 bytes costs an allocation when it is built.
struct MethodNames {
  private static let slotCount = 64
  /// Shorter names are built for nothing, longer ones are no names of methods.
  private static let kept = 16...96

  private var slots = [String](repeating: "", count: slotCount)

  mutating func name(_ span: StringSpan, in message: UnsafeBufferPointer<UInt8>) -> String {
    let bytes = message.part(span.content)
    guard !span.hasEscapes, Self.kept.contains(bytes.count) else { return span.text(in: message) }
    let slot = Self.slot(of: bytes)
    if slots[slot].isEqual(to: bytes) { return slots[slot] }
    slots[slot] = String(decoding: bytes, as: UTF8.self)
    return slots[slot]
  }

  /// By length and last eight bytes: names differ at their ends.
  private static func slot(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let tail = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
    let mixed = (tail ^ UInt64(bytes.count)) &* 0x9E37_79B9_7F4A_7C15
    return Int(mixed &>> 32) & (slotCount &- 1)
  }
}

extension String {
  fileprivate func isEqual(to bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    utf8.withContiguousStorageIfAvailable { own in
      guard let own = own.baseAddress, let other = bytes.baseAddress else { return bytes.isEmpty }
      return utf8.count == bytes.count && memcmp(own, other, bytes.count) == 0
    } ?? false
  }
}
