import Glibc
import Support

/// The folder in which git keeps the objects of a push until the hooks of the repository have let them in.
///
/// Git tells its hooks by variables, which anybody could set. So they only say that there is such a folder: it must be
/// in the repository's own folder of objects, with a name that git gives, and belong to this user or to the owner of
/// that folder. Nothing outside of the repository is read because of a variable.
struct GitQuarantine {
  private static let names = ["tmp_objdir-", "incoming-"]

  private let path: String
  private let objects: String

  /// `nil` unless a push to this repository is being checked. `folder` is in the repository, or is a bare one.
  init?(in folder: String) {
    guard let named = environment("GIT_QUARANTINE_PATH"), named == environment("GIT_OBJECT_DIRECTORY"),
      let path = Self.realPath(named),
      let answer = try? GitProcess.run(["rev-parse", "--git-path", "objects"], in: folder), answer.complaint == nil,
      let line = answer.output.split(separator: "\n").first.map(String.init),
      let objects = Self.realPath(line.hasPrefix("/") ? line : "\(folder)/\(line)"),
      Self.isQuarantine(path, of: objects)
    else { return nil }
    (self.path, self.objects) = (path, objects)
  }

  private static func isQuarantine(_ path: String, of objects: String) -> Bool {
    guard path.hasPrefix(objects + "/") else { return false }
    let name = path.dropFirst(objects.utf8.count + 1)
    guard !name.contains("/"), names.contains(where: name.hasPrefix) else { return false }
    var (own, parent) = (stat(), stat())
    return stat(path, &own) == 0 && stat(objects, &parent) == 0 && own.st_mode & S_IFMT == S_IFDIR
      && [geteuid(), parent.st_uid].contains(own.st_uid)
  }

  private static func realPath(_ path: String) -> String? {
    let found = realpath(path, nil)
    defer { free(found) }
    return found.map { String(cString: $0) }
  }

  /// With these, git finds the objects of the push, and those that the repository had before.
  var variables: [String] {
    ["GIT_OBJECT_DIRECTORY=\(path)", "GIT_ALTERNATE_OBJECT_DIRECTORIES=\(objects.quotedForGit)"]
  }
}

extension String {
  /// As an element of a list that git splits at colons.
  fileprivate var quotedForGit: String {
    "\"" + reduce(into: "") { $0 += $1 == "\"" || $1 == "\\" ? "\\\($1)" : String($1) } + "\""
  }
}
