import Support

/// A folder of a revision, as git stores it: for each name its mode and its id.
struct GitTree {
  enum Kind { case folder, file, link, submodule }

  struct Entry {
    let kind: Kind
    let id: String
  }

  private(set) var entries: [String: Entry] = [:]
  /// A name that is not UTF-8, with replacement characters; `nil` if there is none.
  private(set) var oddName: String?

  /// `nil` if the bytes are no tree. `idSize` is the size of an id in bytes: 20, or 32 with SHA-256.
  init?(_ bytes: [UInt8], idSize: Int) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let space = rest.firstIndex(of: UInt8(ascii: " ")), let end = rest[space...].firstIndex(of: 0),
        rest.endIndex - end > idSize, let kind = Kind(mode: rest[..<space])
      else { return nil }
      let id = Hex.encode(Array(rest[(end + 1)...].prefix(idSize)))
      let name = Array(rest[(space + 1)..<end])
      rest = rest[(end + 1 + idSize)...]
      guard let text = String(validating: name, as: UTF8.self) else {
        oddName = String(decoding: name, as: UTF8.self)
        continue
      }
      entries[text] = Entry(kind: kind, id: id)
    }
  }
}

extension GitTree.Kind {
  /// The type of the file in an octal mode.
  fileprivate init?(mode: ArraySlice<UInt8>) {
    guard let mode = Int(String(decoding: mode, as: UTF8.self), radix: 8) else { return nil }
    switch mode & 0o170000 {
    case 0o040000: self = .folder
    case 0o100000: self = .file
    case 0o120000: self = .link
    case 0o160000: self = .submodule
    default: return nil
    }
  }

  /// A predicate.
  var text: String {
    switch self {
    case .folder: "is a folder"
    case .file: "is a file"
    case .link: "is a link"
    case .submodule: "is a submodule, whose files are in another repository"
    }
  }
}
