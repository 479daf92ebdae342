import ArgumentParser
import Glibc
import GraphPull
import JSON
import Support
import Tenancy

#if TenantService
  import Database
  import TenantService
#endif

struct ShowHistory: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the editions of a tenant, compare two, or bring one back.",
    usage: "mambridge-tenant history [--store <store>] [--diff <a> <b>] [<options>]",
    discussion: """
      A tenant service keeps each version of the tenant that it has served, an edition. The list says when each began, who \
      made it, its digest, and how many enrolled apps had it at their last check-in. The actor is the object id of an \
      administrator; "folder" for a change of the files; or "publish", "accept" or "history". At most 1,000 editions and \
      256 MiB are kept, for up to 400 days; the last edition is always kept.

      --diff prints which decisions change between two editions, as mambridge tenant diff does. --restore prints what a \
      restore changes, asks, and makes the edition the tenant again: with SQLite, in the folder that --folder names; with \
      PostgreSQL, in the database, and in the folder if one is named. A restore holds nothing back. A running service \
      follows within seconds.

      Exit codes: 0 done; 1 not confirmed, or others change the tenant at the same time; 64 invalid command line; 69 the \
      database cannot be reached; 78 there is no such store or edition, or it is newer or older than this program.

      Examples:

        # What happened, and what the last edition changed
        mambridge-tenant history --store sqlite:/var/lib/mambridge-tenant/store.sqlite
        mambridge-tenant history --store sqlite:/var/lib/mambridge-tenant/store.sqlite --diff 41 42

        # Take it back
        mambridge-tenant history --store sqlite:/var/lib/mambridge-tenant/store.sqlite --folder /srv/tenant --restore 41
      """)

  @OptionGroup var store: StoreOptions

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Compare two editions: the number of the old one, and of the new one.", valueName: "edition"))
  var diff: [Int64] = []

  @Option(help: ArgumentHelp("Make this edition the tenant again.", valueName: "edition"))
  var restore: Int64?

  @Option(help: "The tenant folder that is served with the SQLite store.", completion: .directory)
  var folder: String?

  @Flag(help: "Do not ask.")
  var yes = false

  @Flag(help: "Print a JSON object for each edition.")
  var json = false

  func validate() throws {
    guard diff.isEmpty || diff.count == 2 else {
      throw ValidationError("--diff needs two editions, such as: --diff 41 42")
    }
    guard diff.isEmpty || restore == nil else { throw ValidationError("Use either --diff or --restore.") }
    guard restore == nil || yes || isatty(STDIN_FILENO) == 1 else {
      throw ValidationError("--restore needs a confirmation. Run it in a terminal, or with --yes.")
    }
  }

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let action: HistoryRun.Action
        if let restore {
          if case .sqlite = try store.location, folder == nil {
            throw CommandFailure(
              exitCode: EX_USAGE, message: "--restore needs --folder with a SQLite store: its folder is the tenant")
          }
          action = .restore(restore, folder: folder, isConfirmed: yes)
        } else {
          action = diff.count == 2 ? .diff(diff[0], diff[1]) : .list(isJSON: json)
        }
        try store.use { try await HistoryRun(store: $0, action: action).run() }
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }
}

#if TenantService
  private struct HistoryRun: Sendable {
    enum Action: Sendable {
      case list(isJSON: Bool)
      case diff(Int64, Int64)
      case restore(Int64, folder: String?, isConfirmed: Bool)
    }

    let store: TenantStore
    let action: Action

    func run() async throws {
      switch action {
      case .list(let isJSON):
        let hosts = try await store.registrationsOfEditions()
        try printResult(Self.text(try await store.editions(), hosts, isJSON: isJSON))
      case .diff(let old, let new):
        let files = (try await Self.files(of: old, in: store), try await Self.files(of: new, in: store))
        try printResult(Self.text(try EditionDifferences(from: files.0.served, to: files.1.served)))
      case .restore(let number, let folder, let isConfirmed):
        try await restore(number, folder, isConfirmed, in: store)
      }
    }

    private static func files(of number: Int64, in store: TenantStore) async throws -> EditionFiles {
      guard let files = try await store.files(ofEdition: number) else {
        throw CommandFailure.configuration(
          "there is no edition \(number). mambridge-tenant history lists the editions")
      }
      return files
    }

    private static func text(_ editions: [Edition], _ hosts: [Int64: Int], isJSON: Bool) -> String {
      guard isJSON else {
        let rows = editions.map { edition in
          [
            String(edition.number), edition.time.description, edition.actor.shown(atMost: 80),
            Hex.encode(Array(edition.digest.prefix(8))), String(edition.size), String(hosts[edition.number] ?? 0),
          ]
        }
        return editions.isEmpty
          ? "no editions\n" : TextTable.text(["EDITION", "TIME", "ACTOR", "DIGEST", "BYTES", "APPS"], rows)
      }
      return editions.map { edition in
        let object: JSONObject = [
          "edition": .integer(edition.number), "time": .string(edition.time.description),
          "actor": .string(edition.actor), "digest": .string(Hex.encode(edition.digest)),
          "bytes": .integer(edition.size), "apps": .integer(Int64(hosts[edition.number] ?? 0)),
        ]
        return object.jsonText + "\n"
      }.joined()
    }

    private static func text(_ differences: EditionDifferences) -> String {
      let lines = differences.lines.isEmpty ? ["no decision changes"] : differences.lines
      return lines.map { $0.shown(atMost: 500) + "\n" }.joined()
    }

    private func restore(
      _ number: Int64, _ folder: String?, _ isConfirmed: Bool, in store: TenantStore
    ) async throws {
      let wanted = try await Self.files(of: number, in: store).source
      // Nobody else waits while somebody thinks about the answer.
      let current = try await folder.asyncMap { try await Self.open($0).files }
      let old = if let current { current } else { try await store.servedFiles() }
      printError(Self.text(try EditionDifferences(from: old ?? wanted, to: wanted)).trimmedASCII)
      guard isConfirmed || Self.asks(number) else {
        throw CommandFailure(exitCode: EXIT_FAILURE, message: "nothing was changed")
      }
      let opened = try await folder.asyncMap { try await Self.open($0) }
      if let opened,
        try opened.files != current
          || !Self.refusing({ () throws(EditedFolder.Refusal) in
            try opened.folder.write(wanted, over: opened.files)
          })
      {
        throw CommandFailure(
          exitCode: EXIT_FAILURE, message: "others change the tenant's folder; nothing was changed. Try again")
      }
      let published = try await store.publish(
        wanted, by: "history", at: StoreTime(SystemClock()).now(in: store.database), limit: nil)
      try printResult("edition \(number) is back, as edition \(published.generation)\n")
    }

    private static func open(_ path: String) async throws -> (folder: EditedFolder, files: TenantFileSet) {
      let result: Result<(EditedFolder, TenantFileSet), EditedFolder.Refusal>
      do throws(EditedFolder.Refusal) {
        let folder = try await EditedFolder.open(path)
        result = .success((folder, try folder.read(settling: .zero, known: nil)))
      } catch { result = .failure(error) }
      return try refusing { () throws(EditedFolder.Refusal) in try result.get() }
    }

    private static func refusing<Value>(_ body: () throws(EditedFolder.Refusal) -> Value) throws -> Value {
      do throws(EditedFolder.Refusal) { return try body() } catch {
        switch error {
        case .busy(let reason): throw CommandFailure(exitCode: EXIT_FAILURE, message: "\(reason) Nothing was changed.")
        case .unsuitable(let reason): throw CommandFailure.configuration("\(reason) Nothing was changed.")
        }
      }
    }

    private static func asks(_ number: Int64) -> Bool {
      let text = Array("Bring edition \(number) back? [y/N] ".utf8)
      _ = write(STDERR_FILENO, text, text.count)
      return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }
  }

  extension Optional {
    fileprivate func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async throws -> Value? {
      if let self { try await body(self) } else { nil }
    }
  }
#endif
