import ArgumentParser
import Glibc
import Support
import Tenancy

#if TenantService
  import Database
  import PostgreSQL
  import TenantService
#endif

struct Publish: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a tenant folder the one that all replicas serve.",
    usage: "mambridge-tenant publish <folder> --store <url> [<options>]",
    discussion: """
      Replicas of `serve` that share a PostgreSQL database serve what was published last, and notice a publication at \
      once. Reads the folder, prints its findings as `mambridge tenant check` does, prints what changes, and writes all of \
      it in one transaction. Publishes nothing if the folder cannot be read, or has not changed. Operations in tenant.json \
      are ordered, and those that are gone from it are taken back. If only a policy or a configuration cannot be read, \
      publishes tenant.json with the policies that are served, and exits with 78.

      What is missing from the folder was not removed by anybody. If more than a tenth of the users or policies \
      (--most-removals) would go, the last of either, or everybody from a group that a policy is assigned to, the published \
      version keeps them, and the output says so; the rest applies at once. If the removals are meant, publish with \
      --allow-removals, or run mambridge-tenant accept. With --strict, such a folder is not published.

      Others may have changed the tenant since the last folder was published: through Graph, or by restoring an edition. If \
      the folder would undo these changes, nothing is published, and the output names the files. Bring the changes into the \
      folder, or discard them with --replace-edits. mambridge-tenant history --restore EDITION --folder FOLDER makes the \
      folder what is served: commit or copy before what only the folder has.

      The database is made ready when it is used for the first time. The password can be part of the URL; better, let \
      libpq find it in a password file (~/.pgpass) or in PGPASSWORD, because others can see the arguments of a program. \
      The URL takes libpq's parameters, such as sslrootcert=FILE. A server on another machine must prove who it is \
      (sslmode=verify-full) unless the URL says something else.

      Exit codes: 0 published, or nothing to publish; 1 findings, with --strict, or others have changed the tenant; 64 invalid command line; 69 the database \
      cannot be reached; 70 the database refuses; 78 the folder or a policy cannot be read, or the database is newer than \
      this program.

      Examples:

        # See what would change
        mambridge-tenant publish /srv/tenant --store "postgresql://mam@db.example/mam?sslmode=verify-full" --dry-run

        # Publish what a pull has brought
        mambridge-tenant pull /srv/tenant --client-id ID --directory-id ID && mambridge-tenant publish /srv/tenant \\
          --store "$STORE"
      """)

  @Argument(help: "The tenant folder.", completion: .directory)
  var folder: String

  @Option(help: ArgumentHelp("The database of the replicas: postgresql://USER@HOST:PORT/DATABASE.", valueName: "url"))
  var store: String

  @Flag(help: "Print what would change, and change nothing.")
  var dryRun = false

  @Flag(help: "Publish nothing if the folder has findings, or if removals would be held back.")
  var strict = false

  @Flag(help: "Discard what others have changed since the last folder was published.")
  var replaceEdits = false

  @OptionGroup(title: "Removals") var removals: AcceptableRemovalOptions

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let database = try open()
        let content = try read()
        let findings = try check()
        guard findings.isEmpty || !strict else {
          throw CommandFailure(
            exitCode: EXIT_FAILURE, message: "nothing was published: \(folder) has findings, and --strict is set")
        }
        let lines = try waiting { try await publish(content, in: database) }
        try printResult(lines.map { $0 + "\n" }.joined())
        guard case .tenantFile = content else { return EXIT_SUCCESS }
        throw CommandFailure.configuration(
          "the policies and configurations in \(folder) were left out, because one of them cannot be read")
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }
}

#if TenantService
  extension Publish {
    private func open() throws -> PostgreSQLDatabase {
      do throws(DatabaseError) {
        return PostgreSQLDatabase(try PostgreSQLOptions(url: store))
      } catch {
        let isFile = store.hasPrefix("sqlite:")
        throw CommandFailure(
          exitCode: EX_USAGE,
          message: isFile ? "with SQLite, serve follows the folder itself: nothing to publish" : error.text)
      }
    }

    private func read() throws -> TenantFolderWatch.Content {
      do throws(TenantError) {
        guard let content = try TenantFolderWatch(path: folder).read() else {
          throw TenantError.unparsable(
            file: folder, reason: "is being changed. Publish it when the change is complete.")
        }
        return content
      } catch {
        throw CommandFailure.configuration(error.description)
      }
    }

    private func check() throws -> [TenantFinding] {
      do throws(TenantError) {
        let findings = try TenantCheck(folder: folder).findings
        for finding in findings { printError("\(finding.kind.rawValue): \(finding.line)") }
        return findings
      } catch {
        throw CommandFailure.configuration(error.description)
      }
    }

    private func time(of database: PostgreSQLDatabase) async throws(PublicationFailure) -> Timestamp {
      do throws(DatabaseError) {
        return try await StoreTime(SystemClock()).now(in: database)
      } catch {
        throw .database(error)
      }
    }

    /// Returns what to print.
    private func publish(
      _ content: TenantFolderWatch.Content, in database: PostgreSQLDatabase
    ) async throws -> [String] {
      let result: Result<[String], any Error>
      do {
        let publication = Publication(
          content: content, database: database, time: try await time(of: database), limit: removals.limit,
          isStrict: strict, replacesEdits: replaceEdits)
        result = .success(try await dryRun ? publication.preview() : publication.run())
      } catch {
        result = .failure(error)
      }
      await database.close()
      do {
        return try result.get()
      } catch let error as PublicationFailure {
        throw CommandFailure(exitCode: error.exitCode, message: error.description)
      }
    }
  }

  extension PublicationFailure {
    fileprivate var exitCode: Int32 {
      switch self {
      case .tenant: EX_CONFIG
      case .outdated, .edited: EXIT_FAILURE
      case .database(let error):
        switch error.reason {
        case .unavailable: EX_UNAVAILABLE
        case .newerSchema: EX_CONFIG
        case .constraint, .failed: EX_SOFTWARE
        }
      }
    }
  }

  /// Files on their way into the database.
  private struct Publication {
    let content: TenantFolderWatch.Content
    let database: PostgreSQLDatabase
    let time: Timestamp
    /// `nil` if all removals are accepted.
    let limit: RemovalLimit?
    let isStrict: Bool
    let replacesEdits: Bool

    /// Changes nothing.
    func preview() async throws -> [String] {
      let served = try await served()
      let files = try await files(instead: served)
      if !replacesEdits, try await hasTable("edition") {
        try await TenantStore(current: database).checkEdits(publishing: files)
      }
      let guarded = try await guarded(files, served)
      if let refusal = guarded.refusal { throw PublicationFailure.tenant(refusal) }
      let outcome: [String] =
        if let served, served.body == guarded.files.stored {
          [Self.unchanged(served)]
        } else {
          try changes(served, guarded.files) + ["would publish version \((served?.generation ?? 0) + 1)"]
        }
      return try await outcome + note(guarded.held) + blastRadius(served, guarded.files)
    }

    /// Nothing for a database without registrations, or one that an older program made.
    private func blastRadius(_ served: StoredSnapshot?, _ files: TenantFileSet) async throws -> [String] {
      guard try await hasTable("registration"), let served,
        let old = try? TenantFileSet(stored: served.body).read()
      else { return [] }
      do {
        return [try await TenantStore(current: database).blastRadius(from: old, to: try files.read()).line]
      } catch let error as DatabaseError {
        throw PublicationFailure.database(error)
      }
    }

    func run() async throws -> [String] {
      let store: TenantStore
      do throws(DatabaseError) {
        store = try await TenantStore(database)
      } catch {
        throw PublicationFailure.database(error)
      }
      let served = try await served()
      let files = try await files(instead: served)
      let guarded = try await guarded(files, served)
      guard guarded.held.isEmpty || !isStrict else {
        throw CommandFailure(
          exitCode: EXIT_FAILURE,
          message: "nothing was published: \(guarded.held.summary) would be held back, and --strict is set")
      }
      let published = try await store.publish(
        files, by: TenantStore.publisher, at: time, limit: limit, keepsEdits: !replacesEdits)
      if let served, served.generation == published.generation {
        return [Self.unchanged(served)] + note(published.held)
      }
      return try changes(served, guarded.files) + ["published version \(published.generation)"] + note(published.held)
    }

    /// A database that an older program made knows no accepted version. Then the served one is compared with.
    private func guarded(
      _ files: TenantFileSet, _ served: StoredSnapshot?
    ) async throws(PublicationFailure) -> GuardedTenant {
      if try await hasTable("accepted_edition") {
        return try await TenantStore(current: database).preview(files, limit: limit)
      }
      let earlier = served.flatMap { try? TenantFileSet(stored: $0.body) }
      do throws(TenantError) {
        return try GuardedTenant(
          files, accepted: limit == nil ? nil : earlier, served: earlier, limit: limit ?? RemovalLimit())
      } catch { throw .tenant(error) }
    }

    private func hasTable(_ name: String) async throws(PublicationFailure) -> Bool {
      do throws(DatabaseError) {
        return try await database.read { session throws(DatabaseError) in
          try session.row("SELECT CAST(to_regclass(:name) AS TEXT)", ["name": .text(name)])?.text(0) != nil
        }
      } catch { throw .database(error) }
    }

    private func note(_ held: HeldRemovals) -> [String] {
      guard !held.isEmpty else { return [] }
      return [
        "held back: \(held.summary). The folder no longer has them. Restore them, or publish with --allow-removals"
      ]
    }

    /// What to publish. If a policy cannot be read, the policies that were published last stay.
    private func files(instead served: StoredSnapshot?) async throws(PublicationFailure) -> TenantFileSet {
      switch content {
      case .whole(let files): return files
      case .tenantFile(let text, let fault):
        guard let served else { throw .tenant(fault) }
        if try await hasTable("accepted_edition") {
          return try await TenantStore(current: database).files(withTenantFile: text, policyFault: fault)
        }
        do throws(TenantError) {
          return try TenantFileSet(stored: served.body).withTenantFile(text)
        } catch { throw .tenant(error) }
      }
    }

    /// The version before this publication; `nil` if there is none.
    private func served() async throws(PublicationFailure) -> StoredSnapshot? {
      guard try await hasTable("snapshot") else { return nil }
      do throws(DatabaseError) {
        return try await database.read { session throws(DatabaseError) in try session.snapshot() }
      } catch {
        throw .database(error)
      }
    }

    private static func unchanged(_ served: StoredSnapshot) -> String { "unchanged: version \(served.generation)" }

    private func changes(
      _ served: StoredSnapshot?, _ files: TenantFileSet
    ) throws(PublicationFailure) -> [String] {
      do throws(TenantError) {
        let new = try TenantEdition(files, generation: 0, published: time).tenant
        // What an older program has published may be unreadable now; then everything is new.
        let old = served.flatMap { try? TenantFileSet(stored: $0.body).read() }
        return TenantChanges(from: old, to: new).lines
      } catch {
        throw .tenant(error)
      }
    }
  }
#endif
