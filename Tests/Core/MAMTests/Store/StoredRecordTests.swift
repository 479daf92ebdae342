import Cryptography
import Model
import Policy
import Support
import TestSupport
import Testing
import Vault

@testable import MAM
@testable import SQLite

@Suite struct StoredRecordTests {
  private let folder = TemporaryFolder()

  private func schema(_ connection: Connection) throws -> [String] {
    try connection.query("SELECT name, sql FROM sqlite_master ORDER BY name") { row in
      try row.value(0) + ": " + (row.value(1, as: String?.self) ?? "")
    }
  }

  private static let released = [
    (StateSchema.app, ReleasedSchema.state), (StateSchema.device, ReleasedSchema.device),
  ]

  @Test("Migrations produce the same schema as when they were released", arguments: 0..<2)
  func releasedSchema(_ number: Int) throws {
    let (migrations, released) = Self.released[number]
    #expect(migrations.knownVersion >= released.count)
    for version in 1...released.count {
      let old = try Connection(path: folder.file("old\(version)"))
      try Migrations(Array(released.prefix(version))).apply(to: old)
      let new = try Connection(path: folder.file("new\(version)"))
      try migrations.upTo(version: version).apply(to: new)
      #expect(try schema(new) == schema(old), "version \(version)")
      try migrations.apply(to: old)
      try migrations.apply(to: new)
      #expect(try schema(new) == schema(old), "from version \(version)")
      #expect(try old.userVersion == migrations.knownVersion, "from version \(version)")
    }
  }

  /// What statements can see of a schema, whatever SQL made it.
  private func shape(_ connection: Connection) throws -> [String] {
    try [
      "SELECT name, CAST(user_version AS TEXT) FROM sqlite_master, pragma_user_version ORDER BY name",
      """
      SELECT t.name || t.ncol || t.wr || t.strict, format('%s %s %s %s %s', c.name, c.type, c."notnull", c.dflt_value, c.pk)
      FROM pragma_table_list t, pragma_table_xinfo(t.name) c WHERE t.schema = 'main' ORDER BY t.name, c.cid
      """,
      """
      SELECT t.name, format('%s %s %s %s', f."table", f."from", f."to", f.on_delete)
      FROM sqlite_master t, pragma_foreign_key_list(t.name) f ORDER BY 1, 2
      """,
    ].flatMap { try connection.query($0) { row in try row.value(0) + ": " + row.value(1) } }
  }

  @Test("A new database is like an empty one of any earlier version after its migrations", arguments: 0..<2)
  func newDatabase(_ number: Int) throws {
    let (migrations, released) = Self.released[number]
    let new = try Connection(path: folder.file("new"))
    try migrations.apply(to: new)
    for version in 1...released.count {
      let old = try Connection(path: folder.file("old\(version)"))
      try Migrations(Array(released.prefix(version))).apply(to: old)
      try migrations.apply(to: old)
      #expect(try shape(new) == shape(old), "from version \(version)")
      guard number == 0 else { continue }
      let facts = try [new, old].map {
        try $0.query("SELECT name FROM facts") { row in try row.value(0, as: String.self) }
      }
      #expect(facts[0] == facts[1], "from version \(version)")
    }
  }

  @Test("Every column that a release wrote can be read and written back unchanged", arguments: StoredRow.all)
  func everyColumn(_ row: StoredRow) throws {
    let connection = try Connection(path: folder.file("released"))
    try Migrations(row.isOfDevice ? ReleasedSchema.device : ReleasedSchema.state).apply(to: connection)
    try connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM \(row.table)")
    for values in row.rows { try connection.execute("INSERT INTO \(row.table) VALUES (\(values))") }
    if let companion = row.companion { try connection.execute(companion) }
    try row.migrations.apply(to: connection)
    let before = try dump(row.table, connection)
    #expect(before.count == row.rows.count)
    try row.rewrite(connection)
    #expect(try dump(row.table, connection) == before)
  }

  /// A swap of two columns passes the round trip.
  @Test("Each column of a released account, event, file and PIN is read into the right member")
  func members() throws {
    let account = Account(accountId: "a", identity: "b")
    let time = { Timestamp(milliseconds: $0) }
    var accountStatus = EnrollmentStatus(account, try #require(EnrollmentStatusCode(sdkValue: 103)), "d")
    accountStatus.formerIdentity = "g"
    #expect(
      try read(StoredAccount.table)
        == StoredAccount(
          position: 3, account: account, formerIdentity: "g", tenantId: "c", enrolledAt: time(11), isMDM: true,
          status: accountStatus, checkedInAt: time(12),
          contactedAt: time(13), countedContactAt: time(20), dueAt: time(14), failures: 15, platform: .android,
          deviceRevision: 16,
          clock: ClockEntry(status: .clockedIn, updated: time(17)), toldClock: .clockedOut, isSignInRefused: false,
          isBlocked: true, signInDueAt: time(18), signInOwedAt: time(21), revision: 19, etag: "e", etagVersion: "f",
          hold: WipeHold(why: "h", since: time(22)), heldWipe: WipeReason(.policy, "i")))
    #expect(try read(StoredEvent.table) == StoredEvent(seq: 1, time: time(2), type: "a", body: "b", causeText: "c"))
    let file = try #require(try read(OwnedFileEntry.table))
    #expect(file.identity == FileIdentity(inode: InodeID(device: .max, inode: 2), born: 3))
    #expect(file.path == "a")
    #expect(file.isMarked)
    #expect(!file.isEncrypted)
    #expect(file.owner.accountId == "a")
    #expect(
      try read(StoredPIN.table)
        == StoredPIN(
          id: 1, owner: PINOwner(publisher: "a", account: Account(accountId: "b", identity: "c")), salt: [2],
          stretching: Scrypt.Parameters(cost: 3, blockSize: 4, parallelism: 5), isSet: true, tries: 6,
          triedAt: time(7), setAt: time(8), typedAt: time(9), activeAt: time(10), unfitForm: "d",
          wipedApps: ["e", "f"]))
  }

  @Test("Each column of a released document, challenge or other small record is read into the right member")
  func smallMembers() throws {
    let document = try #require(try read(StoredDocument.table))
    #expect((document.account, document.kind) == (1, .configuration))
    #expect((document.position, document.body) == (2, "a"))
    let temporary = try #require(try read(TemporaryFileEntry.table))
    #expect((temporary.id, temporary.folder, temporary.target) == (1, "a", "b"))
    let provider = try #require(try read(ProviderOwner.table))
    #expect((provider.kind, provider.name, provider.owner) == ("a", "b", [1]))
    let stored = try #require(try read(StoredChallenge.table))
    let challenge = stored.challenge
    #expect((challenge.id, challenge.kind, challenge.window) == ("f", .enterPIN, "c"))
    #expect(challenge.account == Account(accountId: "a", identity: "b"))
    #expect(challenge.expires?.milliseconds == 5)
    #expect((challenge.verificationUri, challenge.userCode) == ("g", "h"))
    #expect(stored.outcome == .accepted)
    #expect(stored.signedIn?.text == "d")
    let wipe = try #require(try read(StoredWipe.table))
    #expect(wipe.key == 1)
    #expect(wipe.value == StoredWipe(reason: WipeReason(.policy, "a"), answer: .host))
    let registration = try #require(try read(StoredRegistration.table))
    #expect((registration.id, registration.sealed) == ("a", [1]))
    #expect(registration.account == Account(accountId: "b", identity: "c"))
    let report = try #require(try read(StoredReport.table))
    #expect((report.registration, report.operation, report.sealed, report.outcome) == ("a", "b", [1], .done))
    #expect((report.time.milliseconds, report.dueAt.milliseconds, report.failures) == (2, 3, 4))
    let operation = try #require(try read(BegunOperation.table))
    #expect((operation.app, operation.requested) == ("a", "b"))
    let use = try #require(try read(StoredActivity.table))
    #expect((use.key.publisher, use.key.account) == ("a", "b"))
    #expect((use.activity.since.milliseconds, use.activity.usedAt.milliseconds) == (1, 2))
    let clock = try #require(try read(StateTime.table)).value
    #expect((clock.now.milliseconds, clock.counted.milliseconds, clock.jumpedAt?.milliseconds) == (2, 3, 6))
    let hash = try #require(try read(StoredPINHash.table))
    #expect((hash.position, hash.pin, hash.sealed) == (1, 2, [3]))
  }

  /// The first row of `StoredRow.all`.
  private func read<Record>(_ table: Table<Record>) throws -> Record? {
    let row = try #require(StoredRow.all.first { $0.table == table.name })
    let connection = try Connection(path: folder.file(table.name))
    try Migrations(row.isOfDevice ? ReleasedSchema.device : ReleasedSchema.state).apply(to: connection)
    try connection.execute("PRAGMA foreign_keys = OFF; INSERT INTO \(table.name) VALUES (\(row.rows[0]))")
    try row.migrations.apply(to: connection)
    return try connection.first(table)
  }

  @Test("Unknown values of a later version are skipped or replaced by a default")
  func laterVersion() throws {
    let connection = try Connection(path: folder.file("state.db"))
    try StateSchema.app.apply(to: connection)
    try connection.execute(
      """
      PRAGMA foreign_keys = OFF;
      INSERT INTO documents VALUES (1, 'policy', 0, 'known'), (1, 'hologram', 0, 'unknown');
      INSERT INTO owned_files VALUES (1, 2, 0, '/known', x'0000', 0, 0), (3, 4, 0, '/unknown', x'ff', 0, 0);
      INSERT INTO accounts (position, platform, clock_status, status_code) VALUES (1, 'toaster', 'late', 999);
      INSERT INTO wipes VALUES (1, 'boredom', '', 9);
      """)
    let account = try #require(try connection.accounts().first)
    #expect(account.documents == [.policy: ["known"]])
    #expect(account.wipe == StoredWipe(reason: .host))
    #expect(account.platform == .ios)
    #expect(account.clock == nil)
    #expect(account.status == nil)
    #expect(try connection.ownedFiles().map(\.path) == ["/known"])
  }

  @Test("Upgrading a state keeps the names that it uses and deletes those of other users")
  func pruning() throws {
    let connection = try Connection(path: folder.file("state.db"))
    try Migrations(Array(ReleasedSchema.state.prefix(13))).apply(to: connection)
    try connection.execute(
      """
      INSERT INTO directory VALUES ('1', 'ById@x'), ('2', 'ByName@x'), ('3', 'allowed@x'), ('4', 'device@x'),
        ('5', 'Tested@x'), ('6', 'testedById@x'), ('7', 'colleague@x'), ('number-8', 'byForm@x');
      INSERT INTO accounts (position, account_id, identity)
        VALUES (1, '1', ''), (2, '', 'byname@X'), (3, '', 'Number-8');
      INSERT INTO facts VALUES ('allowedAccounts', '[{"accountId":"3","identity":"allowed@x"}]'),
        ('mdmEnrolledAccount', '{"accountId":"4","identity":null}');
      INSERT INTO test_policies VALUES ('tested@x', '{}'), ('6', '{}');
      """)
    try StateSchema.app.apply(to: connection)
    let kept = try connection.dictionary(StoreSchema.directory).keys.sorted()
    #expect(kept == ["1", "2", "3", "4", "5", "6", "number-8"])
  }

  private func dump(_ table: String, _ connection: Connection) throws -> [[Value]] {
    try connection.query("SELECT * FROM \(table)") { row in try (0..<row.columnCount).map { try row.value($0) } }
  }
}

/// Rows of a table as SQL: no column has the value of another one, and what is true in one row is false in the next.
struct StoredRow: Sendable, CustomTestStringConvertible {
  let table: String
  let rows: [String]
  /// A statement that inserts what the rows are kept for; `nil` if they need nothing.
  let companion: String?
  let isOfDevice: Bool
  /// Reads all records, and stores them anew.
  let rewrite: @Sendable (Connection) throws -> Void

  init<Record>(_ table: Table<Record>, isOfDevice: Bool = false, _ rows: String..., beside companion: String? = nil) {
    self.table = table.name
    self.companion = companion
    self.rows = rows
    self.isOfDevice = isOfDevice
    rewrite = { connection in
      let records = try connection.all(table)
      try connection.run("DELETE FROM \(table.name)")
      for record in records { try connection.save(record, to: table) }
    }
  }

  var testDescription: String { table }
  /// Of this version, which may have added columns.
  var migrations: Migrations { isOfDevice ? StateSchema.device : StateSchema.app }

  static let all = [
    StoredRow(StoreSchema.facts, "'salt', '5'"),
    StoredRow(
      StoreSchema.directory, "'a', 'b'", beside: "INSERT INTO accounts (position, account_id) VALUES (1, 'a')"),
    StoredRow(
      StoredAccount.table,
      """
      3, 'a', 'b', 'c', 11, 1, 103, 'd', 12, 13, 14, 15, 'android', 16, 'clockedIn', 17, 'clockedOut', 0, 18, 19, 'e',
      'f', 'g', 20, 21, 1, 'h', 22, 'conditionalLaunch', 'i'
      """,
      """
      4, 'a', '', '', 0, 0, 0, '', 0, 0, 0, 0, 'ios', 0, '', 0, '', 1, 0, 0, '',
      '', '', 0, 0, 0, '', 0, '', ''
      """),
    StoredRow(StoredDocument.table, "1, 'configuration', 2, 'a'"), StoredRow(StoredEvent.table, "1, 2, 'a', 'b', 'c'"),
    StoredRow(StoreSchema.overrides, "'a', 'b'"),
    StoredRow(
      OwnedFileEntry.table, "-1, 2, 3, 'a', x'000401000161', 1, 0", "1, -2, 3, 'a', x'000401000161', 0, 1"),
    StoredRow(TemporaryFileEntry.table, "1, 'a', 'b'"), StoredRow(ProviderOwner.table, "'a', 'b', x'01'"),
    StoredRow(
      StoredChallenge.table,
      """
      1, 'f', 'enterPIN', 'a', 'b', 'c', 'Set_Pin_Error', '[[["Passcode_Length_Required","6"]]]', 5, 'accepted', 'd',
      'e', 'g', 'h', 'i'
      """,
      """
      2, 'e', 'warning', '', '', '', 'Set_Pin_Error', '[[["Passcode_Length_Required"]]]', 9223372036854775807, '', '',
      '', '', '', ''
      """),
    StoredRow(SignIns.table, "'a', 1"),
    StoredRow(StoredWipe.table, "1, 'conditionalLaunch', 'a', 2", "2, 'administratorBlock', '', 1"),
    StoredRow(BegunOperation.table, "'\(String(repeating: "0", count: 64))', 'a', 'b'"),
    StoredRow(StoreSchema.testPolicies, "'a', 'b'"), StoredRow(StoreSchema.forgottenAccounts, "'a'"),
    StoredRow(AccountBlocks.table, "'a', 'clockedOut'"),
    StoredRow(ScreenUse.table, "1, 'a', 'b', 'c', 'd', 'e', 2"),
    StoredRow(StoredRegistration.table, "'a', 'b', 'c', x'01'", "'b', '', 'c', x'02'"),
    StoredRow(StoredReport.table, "'a', 'b', x'01', 'done', 2, 3, 4", "'a', '', x'01', 'left', 2, 3, 0"),
    StoredRow(StateTime.table, "1, 2, 3, 4, 'a', 5, 6", "2, 3, 4, 5, '', 0, 0"),
    StoredRow(DeviceRecord.table, isOfDevice: true, "'a', 'b'"),
    StoredRow(StoredActivity.table, isOfDevice: true, "'a', 'b', 1, 2"),
    StoredRow(
      StoredPIN.table, isOfDevice: true, "1, 'a', 'b', 'c', x'02', 3, 4, 5, 1, 6, 7, 8, 9, 10, 'd', 'e f'",
      "2, 'a', '', '', x'02', 3, 4, 5, 0, 0, 0, 0, 0, 0, '', ''"),
    StoredRow(StoredPINHash.table, isOfDevice: true, "1, 2, x'03'"),
  ]
}
