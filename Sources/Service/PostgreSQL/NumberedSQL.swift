#if TenantService
  import Support

  /// A statement as PostgreSQL reads it: the parameters `:name` become `$1`, `$2` and so on. Each name has one number,
  /// however often the statement uses it.
  struct NumberedSQL: Hashable, Sendable {
    private(set) var text: String
    /// In the order of their numbers.
    private(set) var names: [String] = []

    init(_ sql: String) {
      var scanner = SQLScanner(sql)
      var bytes: [UInt8] = []
      while let token = scanner.next() {
        switch token {
        case .other(let part): bytes += part
        case .parameter(let name):
          let number = names.firstIndex(of: name).map { $0 + 1 } ?? names.count + 1
          if number > names.count { names.append(name) }
          bytes += Array("$\(number)".utf8)
        }
      }
      text = String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Splits a statement into parameters and the text between them. Quoted text, comments and casts have no parameters.
  private struct SQLScanner {
    enum Token {
      case parameter(String)
      case other(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ sql: String) { rest = Array(sql.utf8)[...] }

    /// `nil` at the end.
    mutating func next() -> Token? {
      guard let first = rest.first else { return nil }
      switch first {
      case UInt8(ascii: ":"): return afterColon()
      case UInt8(ascii: "'"), UInt8(ascii: "\""): return .other(take(quoted(by: first)))
      case UInt8(ascii: "-") where rest.starts(with: "--".utf8):
        return .other(take(rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 - rest.startIndex } ?? rest.count))
      case UInt8(ascii: "/") where rest.starts(with: "/*".utf8): return .other(take(comment))
      case UInt8(ascii: "$"): return .other(take(dollarQuoted ?? 1))
      default:
        // A word is one part, because a `$` inside of it begins no quote.
        return .other(take(max(1, rest.prefix { $0.isPartOfName || $0 == UInt8(ascii: "$") }.count)))
      }
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    private mutating func afterColon() -> Token {
      if rest.starts(with: "::".utf8) { return .other(take(2)) }
      let name = rest.dropFirst().prefix(while: \.isPartOfName)
      guard let first = name.first, !first.isDigit else { return .other(take(1)) }
      rest = rest.dropFirst(name.count + 1)
      return .parameter(String(decoding: name, as: UTF8.self))
    }

    /// The length of quoted text. A doubled quote is inside of it, as two texts side by side.
    private func quoted(by quote: UInt8) -> Int {
      rest.dropFirst().firstIndex(of: quote).map { $0 + 1 - rest.startIndex } ?? rest.count
    }

    /// The length of a comment, which may have others inside of it.
    private var comment: Int {
      var (depth, at) = (0, rest.startIndex)
      while at < rest.endIndex {
        let pair = rest[at...].prefix(2)
        if pair.elementsEqual("/*".utf8) {
          (depth, at) = (depth + 1, at + 2)
        } else if pair.elementsEqual("*/".utf8) {
          (depth, at) = (depth - 1, at + 2)
          if depth == 0 { break }
        } else {
          at += 1
        }
      }
      return at - rest.startIndex
    }

    /// The length of text between two tags such as `$$` or `$tag$`; `nil` if there is no tag here.
    private var dollarQuoted: Int? {
      let name = rest.dropFirst().prefix(while: \.isPartOfName)
      guard name.first?.isDigit != true, rest.dropFirst(name.count + 1).first == UInt8(ascii: "$") else { return nil }
      let tag = rest.prefix(name.count + 2)
      var at = tag.endIndex
      while at < rest.endIndex, !rest[at...].starts(with: tag) { at += 1 }
      return min(at + tag.count, rest.endIndex) - rest.startIndex
    }
  }

  extension UInt8 {
    fileprivate var isPartOfName: Bool { isAlphanumeric || self == UInt8(ascii: "_") || self >= 0x80 }
  }
#endif
