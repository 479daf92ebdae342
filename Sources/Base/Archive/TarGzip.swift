// Archive makes .tar.gz files in pieces, for the export of diagnostics: nothing is ever in memory as a whole, and
// nothing is written beside the archive. It is the only importer of zlib. It reads no archives.
//
// `TarGzip` is what callers use: begin a file, add its bytes, end it, and finish the archive. Each call returns the
// bytes to write next, so the caller decides where they go. `TarHeader` lays out a file's header (POSIX ustar),
// `Gzip` compresses (RFC 1952). The same files at the same time make the same archive.

import Support

/// A .tar.gz that is made in pieces; write each piece after the previous one. Used by one thread.
package final class TarGzip {
  /// The version of zlib that this process runs with.
  package static var libraryVersion: String { Gzip.libraryVersion }

  private let gzip: Gzip
  private let time: Timestamp

  /// `time` applies to all its files, which are for their user only.
  package init(time: Timestamp) throws(ArchiveError) {
    gzip = try Gzip()
    self.time = time
  }

  /// Begins a file. The name is ASCII with slashes, up to 100 bytes. `size` bytes must follow, in any number of pieces.
  package func begin(_ name: String, size: Int) -> [UInt8] {
    pack(TarHeader(name: name, size: size, time: time).block)
  }

  package func add(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.withUnsafeBytes { gzip.add($0) }
  }

  /// Ends a file of that size.
  package func end(size: Int) -> [UInt8] { pack(TarHeader.padding(behind: size)) }

  /// Ends the archive.
  package func finish() -> [UInt8] {
    pack([UInt8](repeating: 0, count: 2 * TarHeader.blockSize)) + gzip.finish()
  }

  private func pack(_ bytes: [UInt8]) -> [UInt8] { add(bytes[...]) }
}
