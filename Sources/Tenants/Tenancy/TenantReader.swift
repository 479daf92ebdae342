import JSON
import Model
import Policy

/// Makes a snapshot of a tenant's files.
///
/// A policy that cannot be read, or that says nothing, is never left out: then none counts, so that the last good policies
/// stay in force.
struct TenantReader {
  private let files: any TenantFiles
  private let keepsObjects: Bool
  private let leavesOutUnreadable: Bool

  /// `keepsObjects` fills `policyObjects` and `configurationObjects`. `leavesOutUnreadable` is for a version that is only
  /// compared with: it fills `unreadable` instead of `policyFault`.
  init(files: any TenantFiles, keepsObjects: Bool = false, leavesOutUnreadable: Bool = false) {
    self.files = files
    self.keepsObjects = keepsObjects
    self.leavesOutUnreadable = leavesOutUnreadable
  }

  /// Throws if tenant.json cannot be read. If another file cannot be read, `policyFault` of the snapshot says why.
  func readAvailable() throws(TenantError) -> TenantSnapshot {
    var objects = TenantObjects(
      of: try TenantSnapshot(try tenantFile()), keepsObjects: keepsObjects, leavesOutUnreadable: leavesOutUnreadable)
    do throws(TenantError) {
      try readPolicies(&objects)
    } catch {
      objects.snapshot.leaveOutPolicies(because: error)
    }
    objects.snapshot.warnings += objects.snapshot.targetingWarnings
    return objects.snapshot
  }

  private func tenantFile() throws(TenantError) -> TenantFile {
    let text = try text(of: MemberReader.file, isMissing: "is missing")
    let file: TenantFile?
    do { file = try TenantFile(text) } catch {
      throw .unparsable(file: MemberReader.file, reason: error.description)
    }
    guard let file else { throw .unparsable(file: MemberReader.file, reason: "must contain a JSON object") }
    return file
  }

  private func readPolicies(_ objects: inout TenantObjects) throws(TenantError) {
    let policies = try files.list("policies")
    let configurations = try files.list("configurations")
    let elsewhere = objects.assignedFiles.subtracting(policies + configurations).sorted()
    for file in policies + configurations + elsewhere {
      do throws(TenantError) {
        try objects.add(try parse(file, isMissing: "is missing, but tenant.json assigns it"), from: file)
      } catch {
        guard leavesOutUnreadable else { throw error }
        objects.snapshot.unreadable.append(UnreadableObject(id: nil, fault: error, file: file))
      }
    }
    for file in try files.list("filters") {
      do throws(TenantError) {
        try objects.addFilters(try parse(file, isMissing: "is missing"), from: file)
      } catch { guard leavesOutUnreadable else { throw error } }
    }
    try objects.finish()
  }

  /// Also throws for a missing file, because the policy in the file is unknown, not absent.
  private func parse(_ file: String, isMissing reason: String) throws(TenantError) -> JSONValue {
    let text = try text(of: file, isMissing: reason)
    do { return try JSONValue(parsing: text) } catch {
      throw .unparsable(file: file, reason: error.description)
    }
  }

  /// Without the byte order mark at the beginning of some exports.
  private func text(of file: String, isMissing reason: String) throws(TenantError) -> ArraySlice<UInt8> {
    guard let bytes = try files.read(file) else { throw .unparsable(file: file, reason: reason) }
    guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
      throw .unparsable(file: file, reason: "is UTF-16; save it as UTF-8")
    }
    return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
  }
}
