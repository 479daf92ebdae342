import Glibc
import Model

/// A file that is not encrypted.
struct PlainFile: PlainText {
  let file: DiskFile
  var encryption: FileHeader? { nil }
  var sealCount: UInt64 { 0 }
  var hasReserve: Bool { false }

  func refresh() {}

  func currentLength() throws(MAMError) -> UInt64 { UInt64(max(0, try file.size())) }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int {
    guard let start = Int(exactly: offset) else { return 0 }
    return try file.read(into: target, at: start)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(MAMError) {
    guard let start = Int(exactly: offset), !start.addingReportingOverflow(bytes.count).overflow else {
      throw .file(file.path, EFBIG)
    }
    try file.write(bytes, at: start)
  }

  func truncate(to length: UInt64) throws(MAMError) {
    guard let length = Int(exactly: length) else { throw .file(file.path, EFBIG) }
    try file.truncate(to: length)
  }

  func release() {}
}
