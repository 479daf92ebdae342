/// Which of the open containers are objects, one bit each; allocates nothing up to a depth of 64.
struct ContainerStack {
  private(set) var depth = 0
  private var bits: UInt64 = 0
  private var full: [UInt64] = []

  /// Of the innermost container; meaningless at depth 0.
  @inline(__always)
  var isObject: Bool { bits & 1 != 0 }

  @inline(__always)
  mutating func push(isObject: Bool) {
    if depth != 0 && depth & 63 == 0 { full.append(bits) }
    bits = bits &<< 1 | (isObject ? 1 : 0)
    depth &+= 1
  }

  @inline(__always)
  mutating func pop() {
    depth &-= 1
    if depth != 0 && depth & 63 == 0 { bits = full.popLast() ?? 0 } else { bits = bits &>> 1 }
  }
}
