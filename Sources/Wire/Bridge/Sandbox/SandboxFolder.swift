import CGlibc
import Glibc
import JSON
import MAM
import Model
import Support
import Tenancy
import Vault

/// The folder of a sandbox: the state and the tenant in use, and those that were saved. A save is a folder, too, and an
/// export is a save somewhere else:
///
///     sandbox.json   {"version": 1, "time": "2026-01-31T09:30:00Z"}
///     tenant/        the tenant's folder
///     state/         the state folder; missing if nothing was ever stored
///
/// What the sandbox began with is a save, too. One that can be written again at any time is written when it is needed.
package struct SandboxFolder: Sendable {
  /// Writes a tenant into a new folder.
  package typealias Writing = @Sendable (_ tenant: String) throws(TenantWriteError) -> TenantWriter

  private static let mark = "sandbox.json"
  private static let version: Int64 = 1
  /// Names are those of folders.
  private static let longestName = 100

  let root: String
  package let state: StateFolder
  package var tenant: TenantWriter { TenantWriter(path: Self.tenant(in: root)) }
  private var seedFolder: String { root + "/seed" }
  /// Writes the tenant of the beginning again; `nil` for one that was copied.
  private var beginning: (time: Timestamp, write: Writing)?

  /// `root` is an empty private folder.
  package init(root: String, appId: String, trustsParents: Bool) {
    self.root = root
    state = StateFolder(root: Self.state(in: root), appId: appId, trustsParents: trustsParents)
  }

  static func tenant(in save: String) -> String { save + "/tenant" }
  static func state(in save: String) -> String { save + "/state" }

  /// Whether the folder is an export of a sandbox.
  package static func isExport(_ path: String) -> Bool { access("\(path)/\(mark)", F_OK) == 0 }

  /// Begins with a tenant that `write` writes, the same each time, and an empty state.
  package mutating func begin(at time: Timestamp, _ write: @escaping Writing) throws(MAMError) {
    try self.write(Self.tenant(in: root), write)
    beginning = (time, write)
  }

  /// Begins with a copy of a tenant folder, and an empty state.
  package func begin(withTenant tenant: String, at time: Timestamp) throws(MAMError) {
    try makeFolder(seedFolder)
    try copyTenant(tenant, to: Self.tenant(in: seedFolder))
    try mark(seedFolder, time)
    try copyTenant(Self.tenant(in: seedFolder), to: Self.tenant(in: root))
  }

  /// The save of what the sandbox began with.
  func seed() throws(MAMError) -> String {
    if let beginning, !Folder.exists(seedFolder) {
      let draft = seedFolder + ".new"
      try makeAnew(draft) { () throws(MAMError) in
        try write(Self.tenant(in: draft), beginning.write)
        try mark(draft, beginning.time)
        try check(rename(draft, seedFolder), seedFolder)
      }
    }
    return seedFolder
  }

  private func write(_ tenant: String, _ write: Writing) throws(MAMError) {
    do throws(TenantWriteError) {
      _ = try write(tenant)
    } catch {
      throw MAMError(error, in: tenant)
    }
  }

  /// Begins with an export. Returns the time of its clock: `time`, or else that of the export. Throws if it is damaged,
  /// or if `time` is before what the export has seen.
  package func begin(withExport export: String, at time: Timestamp?) throws(MAMError) -> Timestamp {
    guard let last = self.time(of: export) else {
      throw MAMError(
        .damaged, "\(Self.mark) of the export cannot be read",
        hint: "Write the export again with sandbox.export of this version", path: "\(export)/\(Self.mark)")
    }
    if let time, time < last {
      throw MAMError(
        .invalidParams, "the clock cannot start at \(time), because the export has already seen \(last)",
        hint: "Start it then or later")
    }
    try makeFolder(seedFolder)
    try copyParts(of: export, to: seedFolder)
    try mark(seedFolder, time ?? last)
    try copyParts(of: seedFolder, to: root)
    return time ?? last
  }

  /// The variables with which a program that starts mambridge itself joins the sandbox.
  func environment(at time: Timestamp) -> [String: String] {
    [
      "MAMBRIDGE_STATE": state.root, "MAMBRIDGE_TENANT": tenant.path, "MAMBRIDGE_APP_ID": state.appId,
      "MAMBRIDGE_CLOCK": "manual=\(time)", JoinedSandbox.variable: root,
    ]
  }

  /// Another process that has a database of the state open; `nil` if none is known.
  var otherProcess: String? {
    let apps = state.appsWithState.map { StateFolder(root: state.root, appId: $0) }
    return LockHolder.otherProcess(using: ([state.device] + apps.map(\.database)).flatMap { [$0, $0 + "-shm"] })
  }
}

// Saves

extension SandboxFolder {
  private var savesFolder: String { root + "/saves" }

  var saves: [String] { (try? Folder.names(savesFolder).sorted()) ?? [] }

  /// The folder of a save. Throws if the name cannot be that of a folder.
  func save(named name: String) throws(MAMError) -> String {
    let isName =
      !name.isEmpty && name.utf8.count <= Self.longestName
      && name.utf8.allSatisfy { $0.isAlphanumeric || [UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0) }
    guard isName else {
      throw MAMError(
        .invalidParams, "/name: must be 1 to \(Self.longestName) letters, digits, - and _", path: "/name")
    }
    return "\(savesFolder)/\(name)"
  }

  /// The time of a save; `nil` if there is none that can be read.
  func time(of save: String) -> Timestamp? {
    guard let bytes = try? FileContents.read("\(save)/\(Self.mark)"), let value = try? JSONValue(parsing: bytes),
      value["version"]?.integerValue == Self.version
    else { return nil }
    return value["time"]?.stringValue.flatMap { Timestamp($0) }
  }

  /// Writes what is in use as a save, in place of one that is there.
  func write(to save: String, at time: Timestamp) throws(MAMError) {
    let draft = save + ".new"
    if !Folder.exists(savesFolder) { try makeFolder(savesFolder) }
    try makeAnew(draft) { () throws(MAMError) in
      try fill(draft, at: time)
      try CommitPoint.passCurrent()
      try replace(save, with: draft)
    }
  }

  /// Writes what is in use into a new folder outside. Nothing that is there is touched.
  func export(to path: String, at time: Timestamp) throws(MAMError) {
    let draft = "\(path).new-\(getpid())"
    guard mkdir(draft, 0o700) == 0 else { throw Self.unwritable(path, .current) }
    do throws(MAMError) {
      try fill(draft, at: time)
      try CommitPoint.passCurrent()
      // An empty folder may give way; rename refuses anything else.
      guard rename(draft, path) == 0 else { throw Self.unwritable(path, .current) }
    } catch {
      try? Folder.remove(draft)
      throw error
    }
  }

  private static func unwritable(_ path: String, _ error: SystemError) -> MAMError {
    MAMError(
      .unsuitableFile, "the export cannot be written: \(error.text)",
      hint: "Name a new folder, in a folder that you can write to", path: path)
  }

  /// Copies everything into an empty folder.
  private func fill(_ draft: String, at time: Timestamp) throws(MAMError) {
    try copyTenant(tenant.path, to: Self.tenant(in: draft))
    if state.hasState {
      let copy = StateFolder(root: Self.state(in: draft), appId: state.appId, trustsParents: true)
      try StateCopy(of: state, to: copy, for: .restoring).make()
    }
    try mark(draft, time)
  }

  /// Copies a save beside what is in use, and returns the copy's folder.
  func unpack(_ save: String) throws(MAMError) -> String {
    let copy = root + "/next"
    try makeAnew(copy) { () throws(MAMError) in try copyParts(of: save, to: copy) }
    return copy
  }

  /// Makes a folder in place of one that is left. Removes it again if it cannot be filled, also for its space.
  private func makeAnew(_ path: String, fill: () throws(MAMError) -> Void) throws(MAMError) {
    try Folder.remove(path)
    try makeFolder(path)
    do throws(MAMError) { try fill() } catch {
      try? Folder.remove(path)
      throw error
    }
  }

  /// Puts the state and the tenant of a copy in place of those in use, which are removed with the copy.
  func exchange(with copy: String) throws(MAMError) {
    try exchange(tenant.path, Self.tenant(in: copy))
    do throws(MAMError) {
      try exchangeState(with: copy)
    } catch {
      try exchange(tenant.path, Self.tenant(in: copy))
      throw error
    }
    try? Folder.remove(copy)
  }

  private func exchangeState(with copy: String) throws(MAMError) {
    let (former, new) = (state.root, Self.state(in: copy))
    switch (Folder.exists(former), Folder.exists(new)) {
    case (true, true): try exchange(former, new)
    case (false, true): try check(rename(new, former), former)
    case (true, false): try check(rename(former, new), former)
    case (false, false): break
    }
  }

  private func exchange(_ one: String, _ other: String) throws(MAMError) {
    try check(cglibc_rename_exchange(AT_FDCWD, one, AT_FDCWD, other), one)
  }

  private func replace(_ save: String, with draft: String) throws(MAMError) {
    guard Folder.exists(save) else { return try check(rename(draft, save), save) }
    try exchange(draft, save)
    try Folder.remove(draft)
  }

  private func copyParts(of save: String, to target: String) throws(MAMError) {
    try copyTenant(Self.tenant(in: save), to: Self.tenant(in: target))
    guard Folder.exists(Self.state(in: save)) else { return }
    do throws(FolderCopy.Failure) {
      try FolderCopy.make(of: Self.state(in: save), at: Self.state(in: target))
    } catch {
      throw .cannotUse(error.path, error.error.number)
    }
  }

  private func copyTenant(_ source: String, to target: String) throws(MAMError) {
    try write(target) { path throws(TenantWriteError) in try TenantWriter(copying: source, to: path) }
  }

  private func mark(_ save: String, _ time: Timestamp) throws(MAMError) {
    let mark: JSONValue = ["version": .integer(Self.version), "time": .string(time.description)]
    do throws(TenantWriteError) {
      try TenantWriter(path: save).write(mark.objectValue ?? [:], to: Self.mark)
    } catch {
      throw MAMError(error, in: save)
    }
  }

  private func makeFolder(_ path: String) throws(MAMError) { try check(mkdir(path, 0o700), path) }

  private func check(_ result: Int32, _ path: String) throws(MAMError) {
    guard result != 0 else { return }
    throw .cannotUse(path, errno)
  }
}
