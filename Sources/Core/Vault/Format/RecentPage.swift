/// The data of a page of which a call used only a part, because the next call is likely to read or change the rest.
///
/// The disk decides: the data is valid as long as the page on the disk has the same nonce and tag.
final class RecentPage: @unchecked Sendable {  // the holder of the file has exclusive use
  let data = UnsafeMutableRawBufferPointer.allocate(byteCount: FileLayout.dataSize, alignment: 16)
  /// `nil` if `data` belongs to no page.
  private var seal: PageSeal?

  deinit {
    data.clear(0..<data.count)
    data.deallocate()
  }

  func holds(_ number: UInt64, _ page: UnsafeMutableRawBufferPointer) -> Bool {
    seal == PageSeal(number, page)
  }

  /// Must be called before `data` is changed.
  func forget() { seal = nil }

  /// `page` is the sealed form of `data`.
  func keep(_ number: UInt64, _ page: UnsafeMutableRawBufferPointer) { seal = PageSeal(number, page) }

  /// Puts zeros if there is no `source`.
  func put(_ source: UnsafeRawBufferPointer?, at range: Range<Int>) {
    guard let source else { return data.clear(range) }
    UnsafeMutableRawBufferPointer(rebasing: data[range]).copyMemory(from: source)
  }
}

/// The pages at both ends of a call.
struct RecentPages: Sendable {
  private let even = RecentPage()
  private let odd = RecentPage()

  /// The only place where this page can be.
  subscript(number: UInt64) -> RecentPage { number.isMultiple(of: 2) ? even : odd }
}

/// Identifies a sealed page: its number, nonce and tag.
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
