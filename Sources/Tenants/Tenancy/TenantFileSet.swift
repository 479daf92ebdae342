import JSON

/// The files of a tenant at one moment, in a form that can be stored and read again.
package struct TenantFileSet: Hashable, Sendable {
  /// By their paths relative to the tenant's folder. Without the byte order marks of some exports.
  package let texts: [String: String]

  package init(texts: [String: String]) {
    self.texts = texts
  }

  /// Reads what `stored` has written.
  package init(stored: [UInt8]) throws(TenantError) {
    let value: JSONValue
    do { value = try JSONValue(parsing: stored) } catch {
      throw .unparsable(file: "the stored tenant", reason: error.description)
    }
    let members = value["files"]?.objectValue?.members ?? []
    var texts: [String: String] = [:]
    for member in members { texts[member.name] = member.value.stringValue }
    guard texts["tenant.json"] != nil, texts.count == members.count else {
      throw .unparsable(file: "the stored tenant", reason: "must contain texts, and tenant.json among them")
    }
    self.init(texts: texts)
  }

  /// JSON text. Equal sets have equal texts.
  package var stored: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("files", texts)
    writer.endObject()
    return writer.bytes
  }

  /// These policies and configurations with another tenant.json, but with the assignments that belong to the policies.
  package func withTenantFile(_ text: String) throws(TenantError) -> TenantFileSet {
    var object: JSONObject
    do { object = try JSONValue(parsing: text).objectValue ?? [:] } catch {
      throw .unparsable(file: MemberReader.file, reason: error.description)
    }
    object["assignments"] = tenantFile["assignments"]
    var texts = texts
    texts[MemberReader.file] = JSONValue.object(object).jsonText
    return TenantFileSet(texts: texts)
  }

  /// The tenant, with its objects as Graph writes them.
  package func read() throws(TenantError) -> TenantSnapshot {
    try TenantReader(files: TextFiles(texts: texts), keepsObjects: true).readAvailable().whole()
  }

  /// The tenant for a comparison, without the policies and configurations that cannot be read.
  func readable() throws(TenantError) -> TenantSnapshot {
    try TenantReader(files: TextFiles(texts: texts), keepsObjects: true, leavesOutUnreadable: true).readAvailable()
      .whole()
  }

  /// Why a folder with these files could not be read; `nil` if it could.
  package var excess: String? {
    if let large = texts.first(where: { $0.value.utf8.count > TenantFileLimits.largestFile }) {
      return "\(large.key) would be larger than \(TenantFileLimits.largestFile >> 20) MiB. Split it."
    }
    let folders = Dictionary(grouping: texts.keys.filter { $0.includes("/") }) { $0.split(separator: "/")[0] }
    guard let full = folders.first(where: { $0.value.count > TenantFileLimits.mostFiles }) else { return nil }
    return "\(full.key) would contain more than \(TenantFileLimits.mostFiles) files. Put several objects into one file."
  }

  /// tenant.json as it is.
  package var tenantFile: JSONObject { (try? JSONValue(parsing: texts["tenant.json"] ?? ""))?.objectValue ?? [:] }
}
