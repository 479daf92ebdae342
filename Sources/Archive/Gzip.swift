import CZlib

/// Why nothing could be packed. zlib refuses nothing else of what this module gives it.
package enum ArchiveError: Error { case noMemory }

/// A gzip stream that grows piece by piece. Belongs to one thread.
final class Gzip {
  private static let pieceSize = 64 << 10
  /// deflate writes a gzip header instead of its own from 16 on; the rest is the window, as large as it gets.
  private static let windowBits: Int32 = 16 + 15

  /// In one place for its life: zlib keeps a pointer to it.
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

  /// What of the stream is ready with these bytes; perhaps nothing yet.
  func add(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { run(bytes, Z_NO_FLUSH) }

  /// Its rest. Nothing can be added any more.
  func finish() -> [UInt8] { run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH) }

  private func run(_ bytes: UnsafeRawBufferPointer, _ flush: Int32) -> [UInt8] {
    // zlib does not write there; it only lacks the const.
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
