import CGlibc
import Glibc

/// What another process has in memory that can be written: heaps, stacks, its own data.
package struct ProcessMemory {
  package let process: pid_t

  package init(of process: pid_t) {
    self.process = process
  }

  /// The mappings in which a text stands, as /proc/PID/maps names them.
  package func places(of text: String) -> [String] {
    let descriptor = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return ["not readable"] }
    defer { close(descriptor) }
    return mappings().filter { holds(text, descriptor, $0.range) }.map(\.name)
  }

  /// How many of these bytes are still in their places from an address of this process on, whether it is freed or not.
  package static func count(of bytes: [UInt8], leftAt address: UInt) -> Int {
    let descriptor = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    // Larger, so that it does not get the memory that is examined.
    var found = [UInt8](repeating: 0, count: bytes.count + (1 << 16))
    let count = pread(descriptor, &found, bytes.count, off_t(address))
    return zip(bytes, found[..<max(0, count)]).count { $0 == $1 }
  }

  private func mappings() -> [(range: Range<UInt>, name: String)] {
    let text = String(decoding: readFile("/proc/\(process)/maps") ?? [], as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard words[1].hasPrefix("rw"), ends.count == 2 else { return nil }
      return (ends[0]..<ends[1], String(line))
    }
  }

  private func holds(_ text: String, _ descriptor: Int32, _ range: Range<UInt>) -> Bool {
    let size = 1 << 20
    var chunk = [UInt8](repeating: 0, count: size + 256)
    let needle = Array(text.utf8)
    var at = range.lowerBound
    while at < range.upperBound {
      let count = pread(descriptor, &chunk, min(chunk.count, Int(range.upperBound - at)), off_t(at))
      if count >= needle.count, cglibc_find(chunk, count, needle, needle.count) != nil { return true }
      at += UInt(size)
    }
    return false
  }
}
