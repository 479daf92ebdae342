import Model
import SQLite
import Support
import TestSupport
import Testing

@testable import MAM

@Suite struct KnownRowsTests {
  let fixture = CoreFixture()

  @Test("Cached rows of a store equal freshly read ones after random changes by two stores", arguments: 0..<20)
  func sameAsFresh(seed: Int) throws {
    var random = SeededGenerator(state: UInt64(seed))
    _ = try fixture.core().refresh()
    let path = fixture.state.database
    let stores = try (0..<2).map { _ in try Store(path: path, migrations: StateSchema.app) }
    for step in 0..<60 {
      let changes = (0..<Int.random(in: 1...3, using: &random)).map { _ in RandomChange(&random) }
      let isUndone = Int.random(in: 0..<4, using: &random) == 0
      let store = try #require(stores.randomElement(using: &random))
      try? store.change(at: CoreFixture.start) { transaction throws(SQLiteError) in
        for change in changes { try change.make(in: transaction) }
        if isUndone { try transaction.connection.execute("no statement") }
      }
      for store in stores where Bool.random(using: &random) || step == 59 { try check(store) }
    }
  }

  private func check(_ store: Store) throws {
    let known = try store.inspect(at: StateTime(CoreFixture.start)) { transaction throws(SQLiteError) in
      (try transaction.accounts(), try transaction.directory().identities)
    }
    let path = fixture.state.database
    let fresh = try Store(path: path, migrations: StateSchema.app).read { connection throws(SQLiteError) in
      (try connection.accounts(), try connection.dictionary(StoreSchema.directory))
    }
    #expect(Array(known.0) == fresh.0)
    #expect(known.1 == fresh.1)
    #expect(known.0.takingPlace == fresh.0.count(where: \.takesPlace))
    for account in fresh.0 { #expect(known.0.account(at: account.position) == account) }
    let directory = AccountDirectory(known.1)
    for name in RandomChange.names {
      let reference = AccountReference(name)
      #expect(known.0.named(reference, directory) == fresh.0.filter { $0.isNamed(reference, directory) })
    }
  }

  @Test("An unchanged account is the same object in the next state")
  func takenOver() throws {
    let core = try fixture.core("MultiManagedIdentities=true")
    #expect(try core.enroll("alice") == 100)
    let (before, directory) = (core.state, core.state.directory)
    _ = try core.enroll("bob")
    #expect(core.state.accounts.first === before.accounts.first)
    #expect(core.state.accounts.count == 2)
    #expect(core.state.directory.identities.count > directory.identities.count)
  }
}

/// A change of accounts or names, as a check-in, a wipe or an unenrollment makes.
private enum RandomChange {
  case register(Account, documents: Int)
  case rename(Account), remove, beginWipe, answer, forget
  case learn([String: String])

  static let ids = (0..<4).map { "\($0)0000000-44d7-43e1-9a83-5f2406dee5bd" } + ["number-7"]
  static let names = ids + (0..<4).map { "Name\($0)@contoso.example" } + ["", "nobody@contoso.example"]

  init(_ random: inout SeededGenerator) {
    let id = Self.ids.randomElement(using: &random)
    let account = Account(
      accountId: Bool.random(using: &random) ? id : nil,
      identity: "name\(Int.random(in: 0..<4, using: &random))@contoso.example")
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1, 2: self = .register(account, documents: Int.random(in: 0..<3, using: &random))
    case 3: self = .rename(account)
    case 4: self = .remove
    case 5: self = .beginWipe
    case 6: self = .answer
    case 7: self = .forget
    default:
      let name = Self.names.randomElement(using: &random) ?? ""
      self = .learn([id ?? "": name])
    }
  }

  func make(in transaction: StoreTransaction) throws(SQLiteError) {
    let first = try transaction.accounts().first
    switch (self, first) {
    case (.register(let account, let count), _):
      var new = StoredAccount(account: account)
      new.enrolledAt = count > 0 ? CoreFixture.start : nil
      new.documents = count > 1 ? [.policy: ["{}", "[]"]] : [:]
      try transaction.save(new)
    case (.learn(let names), _): _ = try transaction.learn(AccountDirectory(names))
    case (_, nil): break
    case (.rename(let account), var known?):
      known.takeNames(of: account)
      try transaction.saveWithoutDocuments(known)
    case (.remove, let known?): try transaction.remove(known)
    case (.beginWipe, let known?): try transaction.beginWipe(of: known.position, WipeReason.host)
    case (.answer, let known?): try transaction.setAnswer(.host, of: known.position)
    case (.forget, let known?):
      try transaction.remove(known)
      try transaction.forgetNames(of: known)
    }
  }
}
