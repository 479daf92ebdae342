import Glibc
import JSON

/// Answers the requests of one connection.
package protocol MethodHandler: Sendable {
  /// Writes the result at once and returns `nil`, or returns work that will produce it later.
  ///
  /// Called on the reading thread, so anything that may use the disk or wait must be in the work. Params by name may
  /// contain `_meta`, which belongs to the session.
  func call(
    _ method: String, _ params: JSONNode?, into writer: inout JSONWriter
  ) throws(RPCError) -> Work?

  /// A hint for a host whose request got -32601. Not called for notifications, which have no reply.
  func hint(forUnknown method: String) -> String?

  /// A hint for a host that exceeded a limit; `nil` if there is none. Not called before authentication.
  func hint(forExceeded limit: LimitName) -> String?

  /// Called once, before the first call.
  func connectionDidBegin(_ peer: any Peer)

  /// Called on the reading thread when an answer of the host matches no question and was dropped.
  func didDrop(_ answer: StrayAnswer)

  /// Called once, on the reading thread, when the answer to `initialize` is queued. Questions to the host from now on
  /// come after it.
  func didAnswerHandshake()

  /// Called once, after the last call.
  func connectionDidEnd()
}

extension MethodHandler {
  package func hint(forUnknown method: String) -> String? { nil }
  package func hint(forExceeded limit: LimitName) -> String? { nil }
  package func connectionDidBegin(_ peer: any Peer) {}
  package func didDrop(_ answer: StrayAnswer) {}
  package func connectionDidEnd() {}
  package func didAnswerHandshake() {}
}

/// A call that runs elsewhere. Its result is JSON text.
///
/// It runs with its own `CommitPoint` as the current one. Its task is cancelled when its answer is no longer needed.
package struct Work: Sendable {
  /// Calls of one connection with the same key run one after another.
  package var queue: String?
  /// Whether it only waits for something to report. If so, it may be answered after later requests, in a script too,
  /// and at the end of input it is cancelled and answers with what it has.
  package var isWaiting = false
  /// Undoes what the call did on the reading thread, before the host learns that nothing happened: the call was
  /// refused, or stopped before its commit point. Must not block.
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

/// Caches the names of recently called methods, because building a name of more than 15 bytes costs an allocation.
struct MethodNames {
  private static let slotCount = 64
  /// Shorter names cost no allocation, and longer ones are not method names.
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

  /// By length and the last eight bytes, because names differ at their ends.
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
