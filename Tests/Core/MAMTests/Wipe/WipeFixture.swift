import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// A device on which alice and frank have files of every kind, and protected buffers; and what is left of them.
struct WipeFixture {
  let documents: DocumentFixture
  private let aliceBuffer: [UInt8]
  private let frankBuffer: [UInt8]
  private static let kinds = ["app", "shared", "plain"]
  private static let text = "Attack at dawn."

  var fixture: CoreFixture { documents.fixture }
  var core: Core { documents.core }

  init() throws {
    documents = try DocumentFixture()
    aliceBuffer = try documents.core.protection.protect([1, 2, 3], for: .user("alice"))
    frankBuffer = try documents.core.protection.protect([4, 5, 6], for: .user("frank"))
    documents.write(Self.text, to: "nobody")
    for user in ["alice", "frank"] {
      for kind in Self.kinds { try make("\(user) \(kind)", kind, for: user) }
    }
    // The core met it by another name.
    rename(documents.folder.file("alice plain"), documents.folder.file("alice renamed"))
  }

  private func make(_ name: String, _ kind: String, for user: String) throws {
    documents.write(Self.text, to: name)
    switch kind {
    case "app": try documents.protect(name, for: user)
    case "shared": try documents.encrypt(name, for: user)
    default: try own(name, by: user)
    }
  }

  /// Gives a file that is not encrypted to an account, whatever its policy says.
  func own(_ name: String, by user: String) throws {
    let file = try DiskFile(path: documents.folder.file(name), flags: O_RDWR)
    let owner = core.state.owner(.user(user))
    try core.refresh().files.ownership.set(owner, on: file, path: file.path, isEncrypted: false)
  }

  /// A process that starts now.
  func newCore() throws -> Core { try fixture.core("MultiManagedIdentities=true") }

  /// Whether the data of alice can be used as before, in a process.
  func isReadable(in core: Core) -> Bool { (try? core.protection.unprotect(aliceBuffer)) == [1, 2, 3] }

  func files(of user: String) throws -> [String] { try documents.names().filter { $0.hasPrefix(user) }.sorted() }

  /// Alice's data is gone in a process, also for who enrolls again; that of others is as it was.
  func expectGone(in core: Core) throws {
    #expect(try core.account("alice") == nil)
    #expect(!isReadable(in: core))
    try expectOthers(in: core)
    #expect(try files(of: "alice") == [])
    #expect(try core.enroll("alice") == 100)
    #expect(!isReadable(in: core))
  }

  func expectOthers(in core: Core) throws {
    #expect(try core.protection.unprotect(frankBuffer) == [4, 5, 6])
    #expect(documents.disk("nobody") == Self.text)
    #expect(documents.disk() == DocumentFixture.text)
    #expect(try files(of: "frank") == Self.kinds.sorted().map { "frank \($0)" })
    for kind in Self.kinds {
      let handle = try core.files.open(documents.path("frank \(kind)"), [.readOnly])
      #expect(try handle.content() == Array(Self.text.utf8))
    }
  }

  /// That all has been told once.
  func expectTold(wipes: Int = 1) throws {
    let told = try fixture.events().map(\.summary)
    #expect(told.count { $0 == "wipeDidComplete" } == wipes)
    #expect(told.count { $0 == "unenrollRequestWithStatus 104" } == wipes)
  }

  func writeOperation(_ type: String, app: String = "*", requested: String = "2026-01-01T00:00:00Z") {
    fixture.tenant.writeTenant(more: "\"operations\": [\(operation(type, app: app, requested: requested))],")
  }

  func operation(_ type: String, app: String = "*", requested: String = "2026-01-01T00:00:00Z") -> String {
    let user = TenantFolder.upn("alice")
    return #"{"type": "\#(type)", "user": "\#(user)", "app": "\#(app)", "requestedDateTime": "\#(requested)"}"#
  }
}

/// An application that answers what it is asked about a wipe, and remembers that it was.
final class WipeHost: Host {
  let answer: Bool
  let asked = Lock<[Account]>([])

  init(_ answer: Bool) {
    self.answer = answer
  }

  func wipeData(of account: Account) async -> Bool {
    asked.withLock { $0.append(account) }
    return answer
  }
}
