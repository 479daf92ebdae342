import Glibc
import TestSupport
import Testing

@testable import Policy
@testable import Tenancy

/// All that a snapshot says.
private struct Content: Equatable {
  var texts: [String] = []
  var users: TenantUsers = []
  var policies: [PolicyDocument] = []
  var warnings: [PolicyWarning] = []

  init(_ read: () throws(TenantError) -> TenantSnapshot) {
    do throws(TenantError) {
      let tenant = try read()
      (users, policies, warnings) = (tenant.users, tenant.policies, tenant.warnings)
      texts = ["\(tenant.configurations)", "\(tenant.assignments)", "\(tenant.policyFault as Any)"]
      texts += [tenant.displayName, "\(tenant.missingPolicies as Any)", "\(tenant.filters.all)"]
    } catch {
      texts = [error.description]
    }
  }
}

@Suite("Cached tenant folder") struct CachedTenantTests {
  private let folder = TemporaryFolder(inMemory: true)
  private let ios = ##""@odata.type": "#microsoft.graph.iosManagedAppProtection""##
  /// For this cache, each change was long ago.
  private let settled = CachedTenant { time(nil) + 60 }

  private func make() {
    folder.write(
      #"{"users": [{"userPrincipalName": "a@c"}], "assignments": [{"policy": "more/x.json"}]}"#, to: "tenant.json")
    folder.write(#"{\#(ios), "id": "T_1", "pinRequired": true}"#, to: "policies/a.json")
    folder.write(#"{\#(ios), "id": "T_2", "pinRequired": true}"#, to: "more/x.json")
  }

  private func content(_ cache: CachedTenant) -> Content {
    Content { () throws(TenantError) in try cache.readAvailable(folder.path) }
  }

  private var fresh: Content {
    Content { () throws(TenantError) in try FolderTenant(path: folder.path).readAvailable() }
  }

  private let folders = ["", "policies", "filters", "configurations", "more"]
  private let files = [
    "tenant.json", "policies/a.json", "policies/b.json", "more/x.json", "filters/f.json", "configurations/c.json",
  ]

  private func parent(of name: String) -> String {
    name.split(separator: "/").dropLast().first.map(String.init) ?? ""
  }

  private func status(_ name: String) -> stat? {
    var status = stat()
    return stat(folder.file(name), &status) == 0 ? status : nil
  }

  /// Gives a file a time of its own, because the clock of a file system stands still for some milliseconds.
  private func stamp(_ name: String, _ step: Int) {
    let times = [timespec(tv_sec: 1_000_000 + step, tv_nsec: 0), timespec(tv_sec: 1_000_000 + step, tv_nsec: 0)]
    utimensat(AT_FDCWD, folder.file(name), times, 0)
  }

  @Test("An unchanged tenant folder is not read again")
  func kept() throws {
    make()
    #expect(!settled.isFilled)
    #expect(content(settled) == fresh)
    #expect(settled.isFilled)
    // Nothing that is read has changed.
    folder.write("{", to: "other.txt")
    stamp("", 1)
    _ = content(settled)
    let before = content(settled)
    #expect(settled.isFilled)
    #expect(before == fresh)
  }

  @Test(
    "A tenant folder is cached only if its last change is more than two seconds ago",
    arguments: [(-1, false), (0, false), (2, false), (3, true)])
  func age(_ seconds: Int, _ isKept: Bool) {
    make()
    let changed = (folders + files).compactMap { status($0)?.st_ctim.tv_sec }.max() ?? 0
    let cache = CachedTenant { changed + seconds }
    #expect(content(cache) == fresh)
    #expect(cache.isFilled == isKept)
  }

  @Test("The cached tenant always equals a fresh read, whatever changes in the folder", arguments: 0..<20)
  func changes(seed: Int) {
    var random = SeededGenerator(state: UInt64(seed))
    make()
    let real = CachedTenant()
    for step in 0..<40 {
      let name = files.randomElement(using: &random) ?? ""
      let before = (folders + files).map { status($0)?.st_ino }
      var written: [String] = []
      let number = Int.random(in: 0...9, using: &random)
      switch Int.random(in: 0...5, using: &random) {
      case 0: unlink(folder.file(name))
      case 1:
        folder.write("{", to: name)
        written = [name]
      case 2:
        make()
        written = ["tenant.json", "policies/a.json", "more/x.json"]
      case 3: rename(folder.file("policies"), folder.file("policies-\(number)"))
      case 4: rename(folder.file("policies-\(number)"), folder.file("policies"))
      default:
        let object = #"{"id": "T_\#(number)", "displayName": "\#(number)", \#(ios), "pinRequired": true}"#
        let file = #"{"displayName": "\#(number)", "users": [{"userPrincipalName": "\#(number)@c"}]}"#
        folder.write(name == "tenant.json" ? file : object, to: name)
        written = [name]
      }
      let after = (folders + files).map { status($0)?.st_ino }
      let changed = zip(folders + files, zip(before, after)).filter { $1.0 != $1.1 }.map(\.0)
      // Only what a change touches: each mark must be seen by itself. A folder that took the place of another is as it was.
      for part in Set(changed.map(parent(of:))).subtracting(changed).union(written) { stamp(part, step) }
      let expected = fresh
      for _ in 0..<2 {
        #expect(content(settled) == expected, "step \(step): \(name)")
        #expect(content(real) == expected, "step \(step): \(name)")
      }
    }
  }

  @Test("A damaged tenant folder is not cached, and a repaired one is cached again")
  func damage() throws {
    make()
    let files = [("tenant.json", "{"), ("policies/a.json", "{"), ("more/x.json", "{}")]
    for (step, (name, text)) in files.enumerated() {
      _ = content(settled)
      #expect(settled.isFilled, "\(name)")
      folder.write(text, to: name)
      stamp(name, step)
      #expect(content(settled) == fresh, "\(name)")
      #expect(!settled.isFilled, "\(name)")
      make()
      stamp(name, step + 10)
      #expect(content(settled) == fresh, "\(name)")
      #expect(settled.isFilled, "\(name)")
    }
  }

  @Test("The cache notices another folder, and a folder that takes the place of the cached one")
  func otherFolder() throws {
    make()
    let other = TemporaryFolder(inMemory: true)
    other.write(#"{"displayName": "other"}"#, to: "tenant.json")
    mkdir(other.file("policies"), 0o700)
    _ = content(settled)
    let second = try settled.readAvailable(other.path)
    #expect(second.displayName == "other")
    #expect(content(settled) == fresh)
    rename(folder.path, other.file("old"))
    rename(other.path + "/policies", folder.path)
    folder.write(#"{"displayName": "new"}"#, to: "tenant.json")
    #expect(content(settled) == fresh)
    #expect(throws: TenantError.self) { try settled.readAvailable(folder.file("nothing")) }
  }
}
