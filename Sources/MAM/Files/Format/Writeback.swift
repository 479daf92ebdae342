import CGlibc

/// Sends what a growing file gets on its way to the disk while more is made, so that a sync at the end finds little to
/// wait for. Promises nothing: the sync does.
struct Writeback: Sendable {
  private static let step = 8 << 20
  /// Where what was not sent yet begins.
  private var begin = 0

  mutating func fileGrew(_ file: DiskFile, _ new: Range<Int>) {
    if !(begin...begin + Self.step).contains(new.lowerBound) { begin = new.lowerBound }
    guard new.upperBound - begin >= Self.step else { return }
    cglibc_start_writeback(file.descriptor, Int64(begin), Int64(new.upperBound - begin))
    begin = new.upperBound
  }
}
