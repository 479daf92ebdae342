/// The data of a page of which a call used only a part: the next call is likely to want the rest, or to change it.
///
/// What the disk has decides: the data count as long as the page there bears the same nonce and tag.
final class RecentPage: @unchecked Sendable {  // whoever has the file has it alone
  let data = UnsafeMutableRawBufferPointer.allocate(byteCount: FileLayout.dataSize, alignment: 16)
  /// Nil while `data` are those of no page.
  private var seal: PageSeal?

  deinit {
    data.clear(0..<data.count)
    data.deallocate()
  }

  func holds(_ number: UInt64, _ page: UnsafeMutableRawBufferPointer) -> Bool {
    seal == PageSeal(number, page)
  }

  /// Before `data` are changed.
  func forget() { seal = nil }

  /// `page` is what `data` were sealed into, or opened from.
  func keep(_ number: UInt64, _ page: UnsafeMutableRawBufferPointer) { seal = PageSeal(number, page) }

  /// Without `source` zeros.
  func put(_ source: UnsafeRawBufferPointer?, at range: Range<Int>) {
    guard let source else { return data.clear(range) }
    UnsafeMutableRawBufferPointer(rebasing: data[range]).copyMemory(from: source)
  }
}

/// The pages at both ends of a call.
struct RecentPages: Sendable {
  private let even = RecentPage()
  private let odd = RecentPage()

  /// The only place where this page may be.
  subscript(number: UInt64) -> RecentPage { number.isMultiple(of: 2) ? even : odd }
}

/// Tells a sealed page from all others: its number, nonce and tag.
private struct PageSeal: Equatable {
  private let number: UInt64
  private let nonce: (UInt64, UInt32)
  private let tag: (UInt64, UInt64)

  init(_ number: UInt64, _ page: UnsafeMutableRawBufferPointer) {
    let end = FileLayout.pageSize
    self.number = number
    nonce = (page.loadUnaligned(as: UInt64.self), page.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
    tag = (
      page.loadUnaligned(fromByteOffset: end - 16, as: UInt64.self),
      page.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self)
    )
  }

  static func == (one: PageSeal, other: PageSeal) -> Bool {
    one.number == other.number && one.nonce == other.nonce && one.tag == other.tag
  }
}
