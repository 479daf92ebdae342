import Glibc

/// Bytes that came and are not consumed yet, in one growing piece of memory.
///
/// Memory that one big message took is given back when it is consumed. What is consumed is cleared at the next call, for
/// any message may hold a PIN or a token, a malformed one too.
package struct InputBuffer: ~Copyable {
  /// What is kept for the traffic of everyday.
  static let restingCapacity = 1 << 16

  /// Nil until something comes.
  private var memory: UnsafeMutableRawPointer?
  package private(set) var capacity = 0
  private var start = 0
  private var end = 0
  /// From the start of the memory, how many bytes are clear.
  private var cleared = 0

  package init() {}

  deinit {
    part(cleared, end).clear()
    free(memory)
  }

  package var count: Int { end &- start }
  package var isEmpty: Bool { start == end }

  /// The bytes, until the next append or shrink; dropping leaves them where they are.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(part(start, end))
  }

  private func part(_ from: Int, _ to: Int) -> UnsafeMutableRawBufferPointer {
    guard let memory else { return UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    return UnsafeMutableRawBufferPointer(start: memory + from, count: to &- from)
  }

  /// False, with nothing changed, when the system has no memory for it.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard !bytes.isEmpty else { return true }
    guard makeRoom(for: bytes.count) else { return false }
    part(end, capacity).copyMemory(from: bytes)
    end &+= bytes.count
    return true
  }

  /// Lets `fill` write up to `size` bytes straight into the buffer; it returns how many there are, and so does this.
  package mutating func append(upTo size: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    var size = max(0, size)
    if !makeRoom(for: size) { size = capacity &- end }
    let filled = min(size, max(0, fill(part(end, end &+ size))))
    end &+= filled
    return filled
  }

  /// From the front; all there is when there is less.
  package mutating func drop(_ size: Int) {
    start &+= min(count, max(0, size))
  }

  package mutating func dropAll() { start = end }

  /// Overwrites what has been dropped.
  package mutating func clear() {
    guard cleared < start else { return }
    part(cleared, start).clear()
    cleared = start
  }

  /// Gives the memory of a big message back.
  package mutating func shrink() {
    clear()
    guard capacity > 4 &* Self.restingCapacity, count <= Self.restingCapacity / 2 else { return }
    _ = changeCapacity(to: Self.restingCapacity)
  }

  /// False, with nothing changed, when the system has no memory for it.
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

  /// Not `realloc`: where that moves, the old bytes stay in memory that is free.
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
