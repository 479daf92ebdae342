import Support
import Tenancy

/// The files of a tenant in a folder of a revision. Links are followed inside of the repository.
final class GitFiles: TenantFolder {
  private static let mostLinks = 40
  /// In bytes. Of what a link leads to.
  private static let longestTarget = 4096

  private let objects: GitObjects
  /// The folders from that of the repository to that of the tenant.
  private var folders: [GitTree.Entry]
  private var trees: [String: GitTree] = [:]

  /// `root` is the id of the repository's folder; `path` leads from there to the tenant. Throws if that is no folder.
  init(_ objects: GitObjects, root: String, path: String) throws(TenantError) {
    self.objects = objects
    folders = [GitTree.Entry(kind: .folder, id: root)]
    let found = try way(to: path, called: path)
    guard let last = found?.last else { throw .missing(path: path, hint: "") }
    guard last.kind == .folder else { throw .unparsable(file: path, reason: last.kind.text) }
    folders = found ?? []
    _ = try tree(last, called: path)
  }

  func list(_ folder: String) throws(TenantError) -> [String] {
    guard let entry = try way(to: folder, called: folder)?.last else { return [] }
    guard entry.kind == .folder else {
      throw .unparsable(file: folder, reason: "cannot be listed: it \(entry.kind.text)")
    }
    let tree = try tree(entry, called: folder)
    if let name = tree.oddName, name.lowercased().hasSuffix(".json") {
      throw .unparsable(file: "\(folder)/\(name.shown)", reason: "has a name that is not UTF-8")
    }
    let names = tree.entries.keys.filter { $0.lowercased().hasSuffix(".json") && !$0.hasPrefix(".") }
    guard names.count <= TenantFileLimits.mostFiles else {
      throw .unparsable(file: folder, reason: "contains more than \(TenantFileLimits.mostFiles) JSON files")
    }
    return names.map { folder + "/" + $0 }.sorted()
  }

  func read(_ name: String) throws(TenantError) -> [UInt8]? {
    guard let entry = try way(to: name, called: name)?.last else { return nil }
    guard entry.kind == .file else {
      throw .unparsable(file: name, reason: "\(entry.kind.text), not a regular file")
    }
    return try content(of: entry, called: name, limit: TenantFileLimits.largestFile)
  }

  func has(_ folder: String) -> Bool {
    do throws(TenantError) { return try way(to: folder, called: folder) != nil } catch { return true }
  }

  func names() -> [String] { folders.last.map { names(below: $0, "", level: 0) } ?? [] }

  private func names(below folder: GitTree.Entry, _ path: String, level: Int) -> [String] {
    guard level < TenantFileLimits.deepest, let tree = try? tree(folder, called: path) else { return [] }
    let entries = tree.entries.filter { !$0.key.hasPrefix(".") }.sorted { $0.key < $1.key }
    return entries.reduce(into: []) { names, entry in
      guard names.count < TenantFileLimits.mostFiles else { return }
      let inner = path.isEmpty ? entry.key : path + "/" + entry.key
      names += entry.value.kind == .folder ? self.names(below: entry.value, inner, level: level + 1) : [inner]
    }
  }
}

extension GitFiles {
  /// A part of a path, which may come from a link.
  private struct Part {
    let name: Substring
    var isOfLink = false
  }

  /// The folders from that of the repository to what a path of the tenant leads to, and that itself; `nil` if there is
  /// nothing. `name` is what errors call it.
  private func way(to path: String, called name: String) throws(TenantError) -> [GitTree.Entry]? {
    guard !path.hasPrefix("/") else { throw .unparsable(file: name, reason: "is outside of the repository") }
    var rest = path.split(separator: "/").reversed().map { Part(name: $0) }
    var (way, links) = (folders, 0)
    while let part = rest.popLast() {
      if part.name == "." { continue }
      if part.name == ".." {
        guard way.count > 1 else { throw .unparsable(file: name, reason: "is outside of the repository") }
        way.removeLast()
        continue
      }
      guard let folder = way.last, folder.kind == .folder else {
        throw .unparsable(file: name, reason: "cannot be opened: \(way.last?.kind.text ?? "") above it")
      }
      guard let entry = try tree(folder, called: name).entries[String(part.name)] else {
        guard part.isOfLink else { return nil }
        throw .unparsable(file: name, reason: "is a link to a missing file")
      }
      guard entry.kind == .link else {
        way.append(entry)
        continue
      }
      links += 1
      guard links <= Self.mostLinks else { throw .unparsable(file: name, reason: "is a link that leads to itself") }
      rest += try target(of: entry, called: name).reversed().map { Part(name: $0, isOfLink: true) }
    }
    return way
  }

  /// The parts of the path that a link leads to.
  private func target(of link: GitTree.Entry, called name: String) throws(TenantError) -> [Substring] {
    let bytes = try content(of: link, called: name, limit: Self.longestTarget)
    guard let target = String(validating: bytes, as: UTF8.self) else {
      throw .unparsable(file: name, reason: "is a link whose target is not UTF-8")
    }
    guard !target.hasPrefix("/") else {
      throw .unparsable(file: name, reason: "is a link out of the repository, to \(target.shown)")
    }
    return target.split(separator: "/")
  }

  private func tree(_ folder: GitTree.Entry, called name: String) throws(TenantError) -> GitTree {
    if let known = trees[folder.id] { return known }
    let bytes = try content(of: folder, called: name, limit: TenantFileLimits.largestFile)
    guard let tree = GitTree(bytes, idSize: folder.id.utf8.count / 2) else {
      throw .unparsable(file: name, reason: "is in a folder that git has damaged; see what git fsck says")
    }
    trees[folder.id] = tree
    return tree
  }

  /// A missing object is never an empty one: a partial clone does not have all that it names.
  private func content(
    of entry: GitTree.Entry, called name: String, limit: Int
  ) throws(TenantError) -> [UInt8] {
    let answer: GitObjects.Answer
    do throws(GitFailure) { answer = try objects.object(entry.id, limit: limit) } catch {
      throw .unparsable(file: name, reason: "cannot be read: git \(error.text)")
    }
    switch answer {
    case .object(kind: entry.kind == .folder ? "tree" : "blob", let bytes): return bytes
    case .object(let kind, _):
      throw .unparsable(file: name, reason: "is damaged in the repository: \(entry.id) is a \(kind)")
    case .missing:
      throw .unparsable(
        file: name,
        reason: "cannot be read: the object \(entry.id) is not in this repository. \(GitObjects.hint)")
    case .tooLarge:
      throw .unparsable(file: name, reason: "is larger than \(limit >> 20) MiB")
    }
  }
}
