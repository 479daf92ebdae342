/// SQLite's `-wal` file, by "WAL-mode File Format" of its documentation: a header of 32 bytes, then frames, each a header
/// of 24 bytes and a page. A frame counts when its salts are those of the header and the checksum, which runs on from
/// frame to frame, is right; and of those that count, all up to the last one that ends a transaction.
enum WriteAheadLog {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Puts the pages of all transactions in their places.
  static func apply(_ log: [UInt8], to database: inout [UInt8]) {
    guard let reader = Reader(log) else { return }
    var pending: [(page: Int, content: ArraySlice<UInt8>)] = []
    reader.forEachFrame { page, pageCount, content in
      pending.append((page, content))
      guard pageCount > 0 else { return }
      let size = pageCount * reader.pageSize
      if database.count < size { database += [UInt8](repeating: 0, count: size - database.count) }
      for (page, content) in pending where page <= pageCount {
        let start = (page - 1) * reader.pageSize
        database.replaceSubrange(start..<start + reader.pageSize, with: content)
      }
      database.removeSubrange(size...)
      pending = []
    }
  }

  private struct Reader {
    let log: [UInt8]
    let pageSize: Int
    private let isBigEndian: Bool

    init?(_ log: [UInt8]) {
      guard log.count >= headerSize else { return nil }
      let magic = log.word(at: 0)
      pageSize = Int(log.word(at: 8))
      guard magic & ~1 == 0x377F_0682, pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else {
        return nil
      }
      self.log = log
      isBigEndian = magic & 1 == 1
      var sum = Checksum()
      sum.add(log[..<24], isBigEndian)
      guard sum.isEqual(log, at: 24) else { return nil }
    }

    /// `pageCount` is that of the database, in a frame that ends a transaction; 0 in others.
    func forEachFrame(_ body: (_ page: Int, _ pageCount: Int, _ content: ArraySlice<UInt8>) -> Void) {
      var sum = Checksum(log.word(at: 24), log.word(at: 28))
      var start = headerSize
      while start + frameHeaderSize + pageSize <= log.count {
        let content = log[(start + frameHeaderSize)..<(start + frameHeaderSize + pageSize)]
        sum.add(log[start..<start + 8], isBigEndian)
        sum.add(content, isBigEndian)
        let page = Int(log.word(at: start))
        guard log[start + 8..<start + 16] == log[16..<24], page > 0, sum.isEqual(log, at: start + 16) else { return }
        body(page, Int(log.word(at: start + 4)), content)
        start += frameHeaderSize + pageSize
      }
    }
  }

  private struct Checksum {
    private var first: UInt32
    private var second: UInt32

    init(_ first: UInt32 = 0, _ second: UInt32 = 0) {
      (self.first, self.second) = (first, second)
    }

    mutating func add(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) {
      bytes.withUnsafeBytes { bytes in
        for at in stride(from: 0, to: bytes.count - 7, by: 8) {
          let (one, two) = (
            bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self),
            bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
          )
          first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
          second &+= (isBigEndian ? two.bigEndian : two.littleEndian) &+ first
        }
      }
    }

    func isEqual(_ log: [UInt8], at index: Int) -> Bool {
      log.word(at: index) == first && log.word(at: index + 4) == second
    }
  }
}

extension [UInt8] {
  /// Big-endian, as all numbers of the format.
  fileprivate func word(at index: Int) -> UInt32 { self[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) } }
}
