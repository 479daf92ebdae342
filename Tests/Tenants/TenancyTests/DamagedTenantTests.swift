import Glibc
import TestSupport
import Testing

@testable import Model
@testable import Policy
@testable import Tenancy

@Suite("Damaged tenant folder") struct DamagedTenantTests {
  let folder = TemporaryFolder()

  func read() throws(TenantError) -> TenantSnapshot { try FolderTenant(path: folder.path).read() }

  @Test(
    "A tenant folder with one damaged file is not read, and the error names the file",
    arguments: [
      ("tenant.json", "{"), ("tenant.json", "[]"), ("tenant.json", #"{"users": {}}"#),
      ("tenant.json", #"{"users": [{}]}"#),
      ("tenant.json", #"{"assignments": [{"groups": ["*"]}]}"#), ("tenant.json", #"{"certificatePins": {"h": "x"}}"#),
      ("tenant.json", #"{"operations": [{"type": "Wipe", "user": "a@b.c", "app": "*"}]}"#),
      ("tenant.json", #"{"operations": [{"type": "wipe", "user": "a@b.c"}]}"#),
      ("tenant.json", #"{"operations": [{"type": "wipe", "user": "a@b.c", "app": ""}]}"#),
      ("tenant.json", #"{"operations": [{"type": "wipe", "user": "a@b.c", "app": null}]}"#),
      ("tenant.json", #"{"certificatePins": {"h": ["AAAA"]}}"#), ("tenant.json", #"{"certificatePins": {"*.h": []}}"#),
      ("policies/x.json", ""), ("policies/x.json", "\u{0}"), ("policies/x.json", "{\n  \"a\": }"),
      ("policies/x.json", "5"),
      ("policies/x.json", "[5]"), ("policies/x.json", #"{"value": {}}"#),
      ("policies/x.json", #"{"error": {"code": "Forbidden", "message": "no"}}"#),
      ("configurations/x.json", #"{"a": 1, "a": 2}"#),
    ])
  func damaged(file: String, text: String) throws {
    folder.write("{}", to: "tenant.json")
    folder.write(text, to: file)
    let error = #expect(throws: TenantError.self) { try read() }
    guard case .unparsable(let named, let reason)? = error else { return _ = Issue.record("\(error as Any)") }
    #expect(named == file)
    #expect(!reason.isEmpty)
  }

  @Test("The error of a damaged file names the line")
  func place() throws {
    folder.write("{\n  \"a\": }", to: "tenant.json")
    #expect(throws: TenantError.self) { try read() }
    do { _ = try read() } catch { #expect(error.description.contains("line 2")) }
  }

  @Test("A missing tenant folder is a different error from a damaged one")
  func missing() {
    let error = #expect(throws: TenantError.self) { try FolderTenant(path: folder.file("none")).read() }
    guard case .missing? = error else { return _ = Issue.record("\(error as Any)") }
  }

  @Test("A tenant folder without tenant.json is damaged")
  func withoutTenantFile() {
    let error = #expect(throws: TenantError.self) { try read() }
    #expect(error?.description.hasPrefix("tenant.json: is missing") == true)
  }

  enum Odd: CaseIterable {
    case danglingLink, linkToItself, folder, pipe, linkToPipe, socket, device, unreadable

    func make(at path: String, in folder: TemporaryFolder) {
      switch self {
      case .danglingLink: symlink(folder.file("nothing"), path)
      case .linkToItself: symlink(path, path)
      case .folder: mkdir(path, 0o700)
      case .pipe: mkfifo(path, 0o600)
      case .linkToPipe:
        mkfifo(folder.file("pipe"), 0o600)
        symlink(folder.file("pipe"), path)
      case .socket: mknod(path, S_IFSOCK | 0o600, 0)
      case .device: symlink("/dev/zero", path)
      case .unreadable: symlink("/proc/self/mem", path)
      }
    }
  }

  @Test(
    "A tenant folder with a file that is not a readable regular file is not read", .timeLimit(.minutes(5)),
    arguments: ["tenant.json", "policies/x.json", "configurations/x.json", "elsewhere/x.json"], Odd.allCases)
  func odd(file: String, odd: Odd) throws {
    folder.write(#"{"assignments": [{"policy": "elsewhere/x.json"}]}"#, to: "tenant.json")
    for place in ["policies/a.json", "configurations/a.json", "elsewhere/x.json"] { folder.write("[]", to: place) }
    _ = try read()
    unlink(folder.file(file))
    odd.make(at: folder.file(file), in: folder)
    let error = #expect(throws: TenantError.self) { try read() }
    guard case .unparsable(let named, let reason)? = error else { return _ = Issue.record("\(error as Any)") }
    #expect(named == file)
    #expect(!reason.isEmpty)
  }

  @Test("A dangling link in place of the policies folder is an error, but a missing folder is not")
  func danglingFolder() throws {
    folder.write("{}", to: "tenant.json")
    #expect(try read().policies.isEmpty)
    symlink(folder.file("nothing"), folder.file("policies"))
    let error = #expect(throws: TenantError.self) { try read() }
    #expect(error?.description.hasPrefix("policies: cannot be listed") == true)
  }

  @Test(
    "An unknown @odata.type makes a tenant folder unreadable, and the error suggests the nearest type",
    arguments: ["policies/x.json", "configurations/x.json"],
    [
      (##""@odata.type": "#microsoft.graph.iosManagedAppProtecton""##, "#microsoft.graph.iosManagedAppProtection?"),
      (##""@odata.type": "#microsoft.graph.iosmanagedappprotection""##, "#microsoft.graph.iosManagedAppProtection?"),
      (##""@odata.type": "targetedManagedAppConfigurations""##, "#microsoft.graph.targetedManagedAppConfiguration?"),
      (##""@odata.type": "#microsoft.graph.windowsManagedAppProtections""##, "windowsManagedAppProtection?"),
      (##""@odata.type": "#microsoft.graph.iosCompliancePolicy""##, "is not known"),
      (##""@odata.type": """##, "is not known"), (##""@odata.type": 5"##, "5 is not known"),
      (##""@odata.typ": "#microsoft.graph.androidManagedAppProtection""##, "did you mean @odata.type?"),
      (##""odata.type": "#microsoft.graph.androidManagedAppProtection""##, "did you mean @odata.type?"),
    ])
  func unknownType(file: String, member: (text: String, hint: String)) throws {
    folder.write("{}", to: "tenant.json")
    let known = ##""@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": true"##
    folder.write("[{\(known)}, {\(member.text), \"pinRequired\": true}]", to: file)
    let error = #expect(throws: TenantError.self) { try read() }
    guard case .unparsable(file, let reason)? = error else { return _ = Issue.record("\(error as Any)") }
    #expect(reason.hasPrefix("element 1 of the list: "), "\(reason)")
    #expect(reason.hasSuffix(member.hint), "\(reason)")
  }

  /// Files that are read, but do not say all.
  static let partial: [(file: String, text: String, reason: String)] = [
    ("policies/a.json", #"{"@odata.nextLink": "https://x", "value": []}"#, "@odata.nextLink: the export has"),
    (
      "policies/a.json", #"{"@odata.context": "c", "@odata.nextLink": 5, "value": []}"#,
      "@odata.nextLink: the export has"
    ),
    ("filters/a.json", #"{"@odata.nextLink": "https://x", "value": []}"#, "@odata.nextLink: the export has"),
    ("policies/a.json", #"{\#(ios), "value": []}"#, "has value, like a page of an export, beside pinRequired"),
    ("policies/a.json", #"{"id": "T_1", "value": []}"#, "has value, like a page of an export, beside id"),
    (
      "policies/a.json", #"{\#(ios), "IntuneMAMPolicies": {"PINEnabled": false}}"#,
      "has IntuneMAMPolicies, like a device"
    ),
    ("policies/a.json", #"{\#(ios), "x": {"IntuneMAMPolicies": {}}}"#, "has IntuneMAMPolicies, like a device"),
    ("policies/a.json", #"{\#(ios), "appGroupType": "selectedPublicApps"}"#, "apps: is missing"),
    (
      "policies/a.json", #"[{\#(ios)}, {\#(ios), "appGroupType": 0, "apps": null}]"#,
      "element 1 of the list: apps: is missing"
    ),
    (
      "tenant.json",
      #"{"users": [{"userPrincipalName": "a@b.c", "id": "X"}, {"userPrincipalName": "d@b.c", "id": "x", "accountEnabled": false}]}"#,
      "users/1 is the same user as users/0"
    ),
    (
      "tenant.json", #"{"users": [{"userPrincipalName": "a@b.c"}, {"userPrincipalName": "A@b.c"}]}"#,
      "users/1 is the same"
    ),
  ]

  private static let ios = ##""@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": true"##

  @Test("A tenant folder with an incomplete or contradictory file is not read", arguments: partial)
  func part(file: String, text: String, reason: String) throws {
    folder.write("{}", to: "tenant.json")
    folder.write("{\(Self.ios)}", to: "policies/whole.json")
    #expect(try read().policies.count == 1)
    folder.write(text, to: file)
    let error = #expect(throws: TenantError.self) { try read() }
    guard case .unparsable(file, let found)? = error else { return _ = Issue.record("\(error as Any)") }
    #expect(found.hasPrefix(reason), "\(found)")
  }

  @Test("A policy for selected apps may omit its apps if tenant.json assigns the policy")
  func assignedWithoutApps() throws {
    folder.write(#"{"assignments": [{"policy": "policies/a.json", "apps": ["com.x"]}]}"#, to: "tenant.json")
    folder.write(#"{\#(Self.ios), "appGroupType": "selectedPublicApps"}"#, to: "policies/a.json")
    #expect(try read().policies.count == 1)
  }

  @Test("readAvailable reads users and allowed accounts even if a policy is damaged")
  func available() throws {
    folder.write(#"{"users": [{"userPrincipalName": "a@b.c"}], "allowedAccounts": []}"#, to: "tenant.json")
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "pinRequired": true}"##, to: "policies/a.json")
    #expect(try FolderTenant(path: folder.path).readAvailable().policies.count == 1)
    folder.write("{", to: "policies/b.json")
    let tenant = try FolderTenant(path: folder.path).readAvailable()
    #expect(tenant.users.count == 1)
    #expect(tenant.allowedAccounts == [])
    #expect(tenant.policies.isEmpty)
    let fault = try #require(tenant.policyFault)
    #expect(fault.description.hasPrefix("policies/b.json: "))
    #expect(throws: fault) { try tenant.whole() }
    folder.write("{", to: "tenant.json")
    #expect(throws: TenantError.self) { try FolderTenant(path: folder.path).readAvailable() }
  }

  @Test("A tenant file larger than 64 MiB is refused")
  func tooLarge() {
    folder.write("{}", to: "tenant.json")
    folder.write("", to: "policies/x.json")
    truncate(folder.file("policies/x.json"), off_t(FolderFiles.largestFile) + 1)
    #expect(throws: TenantError.unparsable(file: "policies/x.json", reason: "is larger than 64 MiB")) { try read() }
  }
}
