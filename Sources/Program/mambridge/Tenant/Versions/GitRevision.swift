import Support

/// `git:REV:PATH`: a folder of a revision.
struct GitRevision {
  static let prefix = "git:"

  let revision: String
  /// As git takes it: from the folder of the repository or, beginning with ./ or ../, from the current folder.
  let path: String

  /// The text after `git:`. The path begins after the first colon outside of braces, as in git. Throws if there is no
  /// revision or no colon.
  init(argument name: String) throws(CommandFailure) {
    let text = name.dropFirst(Self.prefix.count)
    var depth = 0
    let colon = text.firstIndex { character in
      if character == "{" { depth += 1 } else if character == "}" { depth -= 1 }
      return character == ":" && depth <= 0
    }
    guard let colon, colon != text.startIndex else {
      throw .configuration(
        "\(name.shown) names no revision and path. Use git:REVISION:FOLDER, such as git:HEAD:tenant or git:main:./ for "
          + "the current folder")
    }
    revision = String(text[..<colon])
    path = String(text[text.index(after: colon)...])
  }

  /// The tenant's files. `current` is a folder in the repository, or a bare repository. Throws exit code 78 if there is
  /// no such folder.
  func files(in current: String) throws(CommandFailure) -> GitFiles {
    let (prefix, isShallow) = try place(of: current)
    let quarantine = GitQuarantine(in: current)
    let root = try rootOfRevision(in: current, quarantine, isShallow)
    let isRelative = path == "." || path == ".." || path.hasPrefix("./") || path.hasPrefix("../")
    do {
      return try GitFiles(GitObjects(in: current, quarantine), root: root, path: isRelative ? prefix + path : path)
    } catch {
      switch error {
      case .missing:
        throw .configuration(
          "there is no folder \(path.shown) in the revision \(revision.shown). Paths begin at the folder of the "
            + "repository; ./ begins at the current folder")
      case .unparsable(_, let reason):
        throw .configuration("the folder \(path.shown) of the revision \(revision.shown) \(reason)")
      }
    }
  }

  /// The path of the current folder in the repository, with a slash at its end unless it is empty.
  private func place(of current: String) throws(CommandFailure) -> (prefix: String, isShallow: Bool) {
    let answer = try run(["rev-parse", "--is-shallow-repository", "--show-prefix"], in: current)
    if let complaint = answer.complaint { throw .configuration("git cannot be asked: \(complaint.reason)") }
    let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return (lines.count > 1 ? lines[1] : "", lines.first == "true")
  }

  private func rootOfRevision(
    in current: String, _ quarantine: GitQuarantine?, _ isShallow: Bool
  ) throws(CommandFailure) -> String {
    let words = ["rev-parse", "--verify", "--end-of-options", revision + "^{tree}"]
    let answer = try run(words, in: current, quarantine)
    let id = answer.output.split(separator: "\n").last.map(String.init) ?? ""
    if answer.complaint == nil, [40, 64].contains(id.utf8.count), id.utf8.allSatisfy(\.isAlphanumeric) { return id }
    let reason = answer.complaint.map { " (\($0.reason))" } ?? ""
    let hint =
      isShallow
      ? "This clone is shallow: fetch the revision first, for example with git fetch --unshallow"
      : "git log --all shows what there is"
    throw .configuration("the repository has no revision \(revision.shown)\(reason). \(hint)")
  }

  private func run(
    _ words: [String], in folder: String, _ quarantine: GitQuarantine? = nil
  ) throws(CommandFailure) -> (output: String, complaint: String?) {
    do throws(GitFailure) { return try GitProcess.run(words, in: folder, quarantine) } catch {
      throw .configuration("git \(error.text)")
    }
  }
}

extension String {
  /// What git complains about first, in one line.
  fileprivate var reason: String {
    let first = split(separator: "\n").first.map(String.init) ?? self
    let text = ["fatal: ", "error: "].first(where: first.hasPrefix).map { String(first.dropFirst($0.count)) } ?? first
    return text.shown
  }
}
