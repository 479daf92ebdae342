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
    usage: "mambridge-tenant history [<service> | --store <store>] [--diff <a> <b>] [<options>]",
    discussion: """
      A tenant service keeps each version of the tenant that it has served, an edition. The list says when each began, who \
      made it, its digest, and how many enrolled apps had it at their last check-in. The actor is the object id of an \
      administrator; "folder" for a change of the files; or "publish", "accept" or "history". At most 1,000 editions and \
      256 MiB are kept, for up to 400 days; the last edition is always kept.

      Reads the store itself or, with the address of a service, asks the service, with a token whose role serve names with \
      --audit-role.

      --changes prints what an edition has changed of the one before, member by member. --diff prints which decisions change \
      between two editions, as mambridge tenant diff does. --restore prints what a restore changes, asks, and makes the edition the tenant again: with SQLite, in the folder that --folder names; with \
      PostgreSQL, in the database, and in the folder if one is named. A restore holds nothing back. A running service \
      follows within seconds. It works on the store alone, not through a service.

      Exit codes: 0 done; 1 not confirmed, others change the tenant at the same time, or the service refuses; 64 invalid \
      command line; 69 the database or the service cannot be reached; 77 no token, or its role may not read the history; 78 \
      there is no such store or edition, or it is newer or older than this program.

      Examples:

        # What happened, and what the last edition changed
        mambridge-tenant history --store sqlite:/var/lib/mambridge-tenant/store.sqlite
        mambridge-tenant history --store sqlite:/var/lib/mambridge-tenant/store.sqlite --diff 41 42

        # The same without access to the store
        mambridge-tenant history https://mam.contoso.example --token-command ./admin-token --diff 41 42

        # Take it back
        mambridge-tenant history --store sqlite:/var/lib/mambridge-tenant/store.sqlite --folder /srv/tenant --restore 41
      """)

  @Argument(
    help: "Where the service is found, in place of --store: https://HOST, with a port and a path if it has them.")
  var service: ServiceAddress?

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("Show what this edition has changed of the one before.", valueName: "edition"))
  var changes: Int64?

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

  @OptionGroup(title: "With the address of a service") var options: AdministratorOptions

  func validate() throws {
    guard service == nil || store.store == nil else {
      throw ValidationError("Use either the address of a service or --store.")
    }
    guard service == nil || restore == nil else {
      throw ValidationError(
        "--restore works on the store itself, and not through a service. Run it where the store can be reached: "
          + "mambridge-tenant history --store STORE --restore \(restore ?? 0), with --folder if the store is SQLite.")
    }
    guard diff.isEmpty || diff.count == 2 else {
      throw ValidationError("--diff needs two editions, such as: --diff 41 42")
    }
    guard [!diff.isEmpty, restore != nil, changes != nil].filter(\.self).count <= 1 else {
      throw ValidationError("Use only one of --changes, --diff and --restore.")
    }
    guard restore == nil || yes || isatty(STDIN_FILENO) == 1 else {
      throw ValidationError("--restore needs a confirmation. Run it in a terminal, or with --yes.")
    }
  }

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        if let service {
          try show(ServiceHistory(administration: options.makeAdministration(of: service)))
          return EXIT_SUCCESS
        }
        let action: HistoryRun.Action
        if let changes {
          action = .changes(changes)
        } else if let restore {
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
  extension ShowHistory {
    fileprivate func show(_ history: ServiceHistory) throws {
      let (changes, diff) = (changes, diff)
      if let changes {
        let lines = try waitingForGraph { try await history.administration.changes(ofEdition: changes) }
        try printResult(HistoryText.lines(lines, instead: HistoryText.noChanges))
      } else if diff.count == 2 {
        let lines = try waitingForGraph { try await history.administration.differences(from: diff[0], to: diff[1]) }
        try printResult(HistoryText.lines(lines, instead: HistoryText.noDifferences))
      } else {
        try printResult(HistoryText.list(try waitingForGraph { try await history.editions() }, isJSON: json))
      }
    }
  }

  /// The history of a service without access to its store.
  private struct ServiceHistory: Sendable {
    let administration: ServiceAdministration

    /// As the store lists them.
    func editions() async throws -> [JSONObject] {
      try await administration.editions().map { edition in
        JSONObject(edition.members.filter { $0.name != "id" }.map { ($0.name, $0.value) })
      }
    }
  }

  /// What the command prints, from wherever it comes.
  private enum HistoryText {
    static let noChanges = "no member changes"
    static let noDifferences = "no decision changes"

    /// `editions` are as `Edition.jsonObject` writes them.
    static func list(_ editions: [JSONObject], isJSON: Bool) -> String {
      guard !isJSON else { return editions.map { $0.jsonText + "\n" }.joined() }
      func number(_ edition: JSONObject, _ name: String) -> String { String(edition[name]?.integerValue ?? 0) }
      func text(_ edition: JSONObject, _ name: String) -> String { edition[name]?.stringValue ?? "" }
      let rows = editions.map { edition in
        [
          number(edition, "edition"), text(edition, "time"), text(edition, "actor").shown(atMost: 80),
          String(text(edition, "digest").prefix(16)), number(edition, "bytes"), number(edition, "apps"),
        ]
      }
      return editions.isEmpty
        ? "no editions\n" : TextTable.text(["EDITION", "TIME", "ACTOR", "DIGEST", "BYTES", "APPS"], rows)
    }

    static func lines(_ lines: [String], instead none: String) -> String {
      (lines.isEmpty ? [none] : lines).map { $0.shown(atMost: 500) + "\n" }.joined()
    }
  }

  private struct HistoryRun: Sendable {
    enum Action: Sendable {
      case list(isJSON: Bool)
      case changes(Int64)
      case diff(Int64, Int64)
      case restore(Int64, folder: String?, isConfirmed: Bool)
    }

    let store: TenantStore
    let action: Action

    func run() async throws {
      switch action {
      case .list(let isJSON):
        let hosts = try await store.registrationsOfEditions()
        let editions = try await store.editions().map { $0.jsonObject(apps: hosts[$0.number] ?? 0) }
        try printResult(HistoryText.list(editions, isJSON: isJSON))
      case .changes(let number):
        let changes = try await EditionChanges(of: number, Self.files(of: number, in: store), in: store)
        try printResult(HistoryText.lines(changes.lines, instead: HistoryText.noChanges))
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

    private static func text(_ differences: EditionDifferences) -> String {
      HistoryText.lines(differences.lines, instead: HistoryText.noDifferences)
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
