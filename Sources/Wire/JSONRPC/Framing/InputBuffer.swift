import Glibc

/// Received bytes that were not consumed yet, in one growing block of memory.
///
/// The memory of a big message is freed once it is consumed. Consumed bytes are cleared at the next call, because any
/// message, even a malformed one, may contain a PIN or a token.
package struct InputBuffer: ~Copyable {
  /// The capacity that is kept for ordinary traffic.
  static let restingCapacity = 1 << 16

  /// `nil` until something arrives.
  private var memory: UnsafeMutableRawPointer?
  package private(set) var capacity = 0
  private var start = 0
  private var end = 0
  /// The number of bytes from the start of the memory that are cleared.
  private var cleared = 0

  package init() {}

  deinit {
    part(cleared, end).clear()
    free(memory)
  }

  package var count: Int { end &- start }
  package var isEmpty: Bool { start == end }

  /// The bytes, valid until the next append or shrink. `drop` does not move them.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(part(start, end))
  }

  private func part(_ from: Int, _ to: Int) -> UnsafeMutableRawBufferPointer {
    guard let memory else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    return UnsafeMutableRawBufferPointer(start: memory + from, count: to &- from)
  }

  /// Returns false, with nothing changed, if the system has no memory.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard !bytes.isEmpty else { return true }
    guard makeRoom(for: bytes.count) else { return false }
    part(end, capacity).copyMemory(from: bytes)
    end &+= bytes.count
    return true
  }

  /// Lets `fill` write up to `size` bytes directly into the buffer and return their number, which this also returns.
  package mutating func append(upTo size: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    var size = max(0, size)
    if !makeRoom(for: size) { size = capacity &- end }
    let filled = min(size, max(0, fill(part(end, end &+ size))))
    end &+= filled
    return filled
  }

  /// Drops bytes from the front; all of them if there are fewer.
  package mutating func drop(_ size: Int) {
    start &+= min(count, max(0, size))
  }

  package mutating func dropAll() { start = end }

  /// Overwrites the dropped bytes.
  package mutating func clear() {
    guard cleared < start else { return }
    part(cleared, start).clear()
    cleared = start
  }

  /// Frees the memory of a big message.
  package mutating func shrink() {
    clear()
    guard capacity > 4 &* Self.restingCapacity, count <= Self.restingCapacity / 2 else { return }
    _ = changeCapacity(to: Self.restingCapacity)
  }

  /// Returns false, with nothing changed, if the system has no memory.
  package mutating func makeRoom(for size: Int) -> Bool {
    clear()
    if isEmpty { (start, end, cleared) = (0, 0, 0) }
    if capacity &- end >= size { return true }
    if capacity &- count >= size {
      moveToFront()
      return true
    }
    return changeCapacity(to: max(count &+ size, capacity &* 2, Self.restingCapacity))
      || changeCapacity(to: count &+ size)
  }

  private mutating func moveToFront() {
    let length = count
    part(0, length).copyMemory(from: bytes)
    part(length, end).clear()
    (start, end, cleared) = (0, length, 0)
  }

  /// Does not use `realloc`, which may leave the old bytes in freed memory.
  private mutating func changeCapacity(to newCapacity: Int) -> Bool {
    guard let moved = malloc(newCapacity) else { return false }
    UnsafeMutableRawBufferPointer(start: moved, count: newCapacity).copyMemory(from: bytes)
    part(cleared, end).clear()
    free(memory)
    (memory, capacity) = (moved, newCapacity)
    (start, end, cleared) = (0, count, 0)
    return true
  }
}
