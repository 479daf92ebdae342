import Glibc

/// Bytes that came and are not consumed yet, in one growing piece of memory.
///
/// Memory that one big message took is given back when it is consumed.
package struct InputBuffer: ~Copyable {
  /// What is kept for the traffic of everyday.
  static let restingCapacity = 1 << 16

  private var memory: UnsafeMutableRawPointer
  package private(set) var capacity: Int
  private var start = 0
  private var end = 0

  package init() {
    capacity = Self.restingCapacity
    memory = Self.allocate(capacity, for: nil)
  }

  deinit { free(memory) }

  package var count: Int { end &- start }
  package var isEmpty: Bool { start == end }

  /// The bytes, until the next append or shrink; dropping leaves them where they are.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + start, count: count)
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    makeRoom(for: bytes.count)
    (memory + end).copyMemory(from: source, byteCount: bytes.count)
    end &+= bytes.count
  }

  /// Lets `fill` write up to `size` bytes straight into the buffer; it returns how many there are, and so does this.
  package mutating func append(upTo size: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    let size = max(0, size)
    makeRoom(for: size)
    let filled = min(size, max(0, fill(UnsafeMutableRawBufferPointer(start: memory + end, count: size))))
    end &+= filled
    return filled
  }

  /// From the front; all there is when there is less.
  package mutating func drop(_ size: Int) {
    start &+= min(count, max(0, size))
  }

  package mutating func dropAll() { start = end }

  /// Gives the memory of a big message back.
  package mutating func shrink() {
    guard capacity > 4 &* Self.restingCapacity, count <= Self.restingCapacity / 2 else { return }
    memory.copyMemory(from: memory + start, byteCount: count)
    (start, end) = (0, count)
    changeCapacity(to: Self.restingCapacity)
  }

  private mutating func makeRoom(for size: Int) {
    if isEmpty { (start, end) = (0, 0) }
    if capacity &- end >= size { return }
    if capacity &- count >= size {
      memory.copyMemory(from: memory + start, byteCount: count)
      (start, end) = (0, count)
    } else {
      changeCapacity(to: max(end &+ size, capacity &* 2))
    }
  }

  private mutating func changeCapacity(to newCapacity: Int) {
    memory = Self.allocate(newCapacity, for: memory)
    capacity = newCapacity
  }

  /// Where `old` stood, when there is room: what has come of a long message is seldom copied.
  private static func allocate(_ size: Int, for old: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    guard let memory = realloc(old, size) else { preconditionFailure("out of memory") }
    return memory
  }
}
