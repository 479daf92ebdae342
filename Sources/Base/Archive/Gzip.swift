import CZlib

/// The only reason why packing can fail: zlib accepts everything else that this module passes.
package enum ArchiveError: Error { case noMemory }

/// A gzip stream that grows piece by piece. Used by one thread.
final class Gzip {
  static var libraryVersion: String { String(cString: zlibVersion()) }

  private static let pieceSize = 64 << 10
  /// From 16 on, deflate writes a gzip header instead of its own. The rest is the window size, at its maximum.
  private static let windowBits: Int32 = 16 + 15

  /// Never moves, because zlib keeps a pointer to it.
  private let stream: UnsafeMutablePointer<z_stream>
  private var piece = [UInt8](repeating: 0, count: Gzip.pieceSize)

  init() throws(ArchiveError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let result = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Self.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { throw .noMemory }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Returns the output that is ready after these bytes, possibly none.
  func add(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { run(bytes, Z_NO_FLUSH) }

  /// Returns the rest of the output. Nothing can be added afterwards.
  func finish() -> [UInt8] { run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH) }

  private func run(_ bytes: UnsafeRawBufferPointer, _ flush: Int32) -> [UInt8] {
    // zlib does not write here; its declaration only lacks const.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
    stream.pointee.avail_in = UInt32(bytes.count)
    var packed: [UInt8] = []
    var isFull = true
    while isFull {
      let count = packPiece(flush)
      packed += piece[..<count]
      isFull = count == piece.count
    }
    return packed
  }

  private func packPiece(_ flush: Int32) -> Int {
    piece.withUnsafeMutableBufferPointer { piece in
      stream.pointee.next_out = piece.baseAddress
      stream.pointee.avail_out = UInt32(piece.count)
      _ = deflate(stream, flush)
      return piece.count - Int(stream.pointee.avail_out)
    }
  }
}
