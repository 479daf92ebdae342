import Glibc
import Support
import TestSupport
import Testing

@Suite struct WholeBytesTests {
  private let folder = TemporaryFolder()

  private func opened(_ name: String, _ flags: Int32) -> Int32 { open(folder.file(name), flags | O_CLOEXEC, 0o600) }

  @Test("A call interrupted by a signal is repeated, and any other result is returned at once")
  func interrupted() {
    var results: [(Int, Int32)] = [(-1, EINTR), (-1, EINTR), (7, 0), (-1, EBADF), (0, 0)]
    func next() -> Int {
      let (result, number) = results.removeFirst()
      errno = number
      return result
    }
    let found = [uninterrupted(next), uninterrupted(next), uninterrupted(next)]
    #expect(found == [7, -1, 0])
    #expect(results.isEmpty)
  }

  @Test("Bytes written at an offset read back from there, up to the end of the file")
  func offsets() throws {
    let descriptor = opened("file", O_RDWR | O_CREAT)
    defer { close(descriptor) }
    try WholeBytes.write([1, 2, 3, 4, 5], to: descriptor)
    let (first, second): ([UInt8], [UInt8]) = ([9, 8], [])
    try first.withUnsafeBytes { try WholeBytes.write($0, to: descriptor, at: 3) }
    try second.withUnsafeBytes { try WholeBytes.write($0, to: descriptor, at: 100) }
    var room = [UInt8](repeating: 0, count: 8)
    let count = try room.withUnsafeMutableBytes { try WholeBytes.read(descriptor, into: $0, at: 1) }
    #expect(count == 4 && room == [2, 3, 9, 8, 0, 0, 0, 0])
  }

  @Test("More bytes than a pipe holds are written while they are read")
  func pipes() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    let reader = Task(executorPreference: BlockingExecutor.shared) {
      defer { close(reading) }
      return try FileContents.read(reading)
    }
    try WholeBytes.write(bytes, to: writing)
    close(writing)
    let read = try await reader.value
    #expect(read == bytes)
  }

  @Test("A failed read or write throws the error of the system")
  func faults() throws {
    let reading = opened("file", O_RDONLY | O_CREAT)
    defer { close(reading) }
    let writeError = #expect(throws: SystemError.self) { try WholeBytes.write([1], to: reading) }
    var room: [UInt8] = [0]
    let readError = #expect(throws: SystemError.self) {
      try room.withUnsafeMutableBytes { try WholeBytes.read(-1, into: $0, at: 0) }
    }
    #expect(writeError?.number == EBADF)
    #expect(readError?.number == EBADF)
  }

  @Test("A write that stops halfway is an error, and puts no bytes in another place")
  func halfway() throws {
    // Two pages of memory, of which the second is beyond the end of its file, so that the first alone can be written.
    let path = folder.write(String(repeating: "0", count: 4096), to: "page")
    let file = open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    let pages = try #require(mmap(nil, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))
    try #require(pages != MAP_FAILED)
    defer { munmap(pages, 8192) }
    let memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC)
    defer { close(memory) }
    let bytes = [UInt8](repeating: 1, count: 4096) + [UInt8](repeating: 2, count: 4096)
    let error = #expect(throws: SystemError.self) {
      try bytes.withUnsafeBytes { try WholeBytes.write($0, to: memory, at: Int(bitPattern: pages)) }
    }
    #expect(error?.number == EIO)
    #expect(readFile(path) == Array(bytes.prefix(4096)))
  }

  @Test("Writing to a full disk is an error, not an endless loop")
  func full() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    try #require(full >= 0)
    let error = #expect(throws: SystemError.self) { try WholeBytes.write([1, 2], to: full) }
    #expect(error?.number == ENOSPC)
  }
}
