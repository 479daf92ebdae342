/// The objects of a repository, read by their ids. One git answers all questions.
final class GitObjects {
  enum Answer {
    /// `kind` is what git calls it: blob, tree, commit or tag.
    case object(kind: String, [UInt8])
    /// Not in the repository, although something refers to it.
    case missing
    case tooLarge
  }

  /// What to do if an object is missing or damaged.
  static let hint = """
    If this is a partial clone, check the revision out once, which fetches its files; otherwise, see what git fsck says
    """

  private let folder: String
  private let quarantine: GitQuarantine?
  private var git: GitProcess?
  /// What git has printed, and nobody has taken.
  private var buffer: ArraySlice<UInt8> = []

  /// `folder` is in the repository, or is a bare one.
  init(in folder: String, _ quarantine: GitQuarantine?) {
    self.folder = folder
    self.quarantine = quarantine
  }

  /// Reads no content that is longer than `limit` bytes.
  func object(_ id: String, limit: Int) throws(GitFailure) -> Answer {
    let git = try running()
    try git.write(id)
    let words = try line(from: git).split(separator: " ").map(String.init)
    if words.count == 2, words[1] == "missing" { return .missing }
    guard words.count == 3, words[0] == id, let size = Int(words[2]), size >= 0 else {
      stop()
      // An older git than 2.45 ends when it must not fetch a missing object.
      throw GitFailure(text: "cannot read the object \(id). \(Self.hint)")
    }
    guard size <= limit else {
      stop()
      return .tooLarge
    }
    let content = try bytes(size + 1, of: id, from: git)
    return .object(kind: words[1], Array(content.dropLast()))
  }

  private func running() throws(GitFailure) -> GitProcess {
    if let git { return git }
    let started = try GitProcess(["cat-file", "--batch"], in: folder, quarantine)
    git = started
    return started
  }

  /// Ends git, which is about to print what nobody reads. The next question starts another.
  private func stop() {
    git = nil
    buffer = []
  }

  /// Without its newline; empty if git has ended.
  private func line(from git: GitProcess) throws(GitFailure) -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer = buffer[(end + 1)...] }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let more = try git.read(atMost: 1 << 10)
      guard !more.isEmpty, buffer.count < 1 << 12 else { return "" }
      buffer += more
    }
  }

  private func bytes(_ count: Int, of id: String, from git: GitProcess) throws(GitFailure) -> [UInt8] {
    var bytes = Array(buffer.prefix(count))
    buffer = buffer.dropFirst(count)
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let more = try git.read(atMost: count - bytes.count)
      guard !more.isEmpty else {
        stop()
        throw GitFailure(text: "ended in the middle of the object \(id). \(Self.hint)")
      }
      bytes += more
    }
    return bytes
  }
}
