import ArgumentParser
import Glibc
import JSON
import Model
import Support

#if TenantService
  import Database
  import TenantService
#endif

struct HoldWipes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold",
    abstract: "Stop all wipes until that is lifted: hosts block instead.",
    discussion: """
      The emergency brake for wipes that nobody wanted: ordered by mistake or by a stolen account, or required by a policy \
      that is wrong.

      hold wipes stops them all: those that are ordered, and those that a policy requires, such as after too long a time \
      offline. No check-in that is answered from then on begins a wipe. Orders are still taken, and wait. Hosts that wait \
      for changes learn of it at once or within 30 seconds, others at their next check-in; until then, they wipe. A wipe \
      that has begun on a host is finished, and users who sign out still remove their data. Again with another reason, it \
      replaces the reason.

      hold lift ends that: what waits is wiped. Take back what must not be wiped before, or lift with --cancel-orders, which \
      takes back every wipe that an administrator has ordered and that waits; remove those of tenant.json from the file. \
      hold alone lists what is on hold.

      Works on the store itself, also while the service runs. The audit names the numeric id of the system's user and the \
      host name of the machine that ran the command.

      Exit codes: 0 done, or nothing was on hold; 64 invalid command line; 69 the database cannot be reached or is locked; \
      78 there is no such store, or it is newer or older than this program.

      Examples:

        # Stop all wipes, look what waits, and go on
        mambridge-tenant hold wipes --why "ticket 4711: wrong OS version in a policy" --store "$STORE"
        mambridge-tenant hold --store "$STORE"
        mambridge-tenant hold lift --store "$STORE"
      """)

  enum Action: String, CaseIterable, ExpressibleByArgument {
    case wipes, lift
  }

  @Argument(help: "wipes to stop them, lift to end that; nothing to list what is on hold.")
  var action: Action?

  @Option(
    help: ArgumentHelp(
      "The reason: one line of at most \(WipeHold.longestReason) characters, which hosts are told, too.",
      valueName: "text"))
  var why: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "With lift: take back the waiting wipes that administrators have ordered.")
  var cancelOrders = false

  @Flag(help: "Print a JSON array of what is on hold.")
  var json = false

  func validate() throws {
    guard (why != nil) == (action == .wipes) else {
      throw ValidationError("hold wipes needs a reason, and nothing else does: mambridge-tenant hold wipes --why TEXT")
    }
    guard !cancelOrders || action == .lift else {
      throw ValidationError("--cancel-orders is for lift: mambridge-tenant hold lift --cancel-orders")
    }
    guard !json || action == nil else { throw ValidationError("--json is for the list: mambridge-tenant hold --json") }
    guard let why else { return }
    let isLine = why.unicodeScalars.allSatisfy { !$0.properties.generalCategory.breaksLine }
    guard isLine, (1...WipeHold.longestReason).contains(why.count), why.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("--why must be one line of 1 to \(WipeHold.longestReason) characters.")
    }
  }

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let run = HoldRun(action: action, why: why ?? "", cancelsOrders: cancelOrders, isJSON: json)
        try printResult(try store.use { try await run.run(on: $0) })
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }
}

extension Unicode.GeneralCategory {
  fileprivate var breaksLine: Bool { [.control, .lineSeparator, .paragraphSeparator].contains(self) }
}

#if TenantService
  private struct HoldRun: Sendable {
    let action: HoldWipes.Action?
    let why: String
    let cancelsOrders: Bool
    let isJSON: Bool

    /// Returns what to print.
    func run(on store: TenantStore) async throws(DatabaseError) -> String {
      let (actor, time) = (Self.actor, try await store.time(by: StoreTime(SystemClock())))
      switch action {
      case .wipes:
        let hold = try await store.holdWipes(because: why, by: actor, at: time)
        return Self.sentence(hold) + Self.waiting(try await store.waitingWipes())
      case .lift:
        guard try await store.liftHold(by: actor, at: time, cancelsOrders: cancelsOrders) != nil else {
          return "nothing is on hold\n"
        }
        return "wipes are no longer on hold\n" + Self.waiting(try await store.waitingWipes())
      case nil: return list(try await store.wipeHold(), waiting: try await store.waitingWipes())
      }
    }

    private static func sentence(_ hold: StoredHold) -> String {
      WipeHold.sentence(
        since: hold.since.description, by: hold.actor.shown(atMost: 300),
        why: hold.why.shown(atMost: WipeHold.longestReason)) + "\n"
    }

    private static func waiting(_ count: Int) -> String { "apps with an ordered wipe: \(count)\n" }

    private func list(_ hold: StoredHold?, waiting count: Int) -> String {
      guard isJSON else { return hold.map { Self.sentence($0) + Self.waiting(count) } ?? "nothing is on hold\n" }
      let holds = hold.map { hold -> JSONValue in
        [
          "held": "wipes", "why": .string(hold.why), "by": .string(hold.actor),
          "since": .string(hold.since.description),
          "waiting": .integer(Int64(count)),
        ]
      }
      return JSONValue.array([holds].compactMap { $0 }).jsonText + "\n"
    }

    /// The system's user and machine.
    private static var actor: String {
      var name = [CChar](repeating: 0, count: 256)
      let isNamed = gethostname(&name, name.count - 1) == 0
      let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return "uid:\(getuid())@\(isNamed ? host : "unknown")"
    }
  }
#endif
