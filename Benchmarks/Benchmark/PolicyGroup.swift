import Glibc
import MAM
import Model

/// The cost of a policy question in the core, which must not depend on the number of merged policies.
struct PolicyGroup {
  private static let calls = 20_000
  private static let counts = [1, 100, 10_000]
  let folder: String
  let runs: Int

  func rows() throws -> [Row] { try Self.counts.map(row) }

  private func row(_ count: Int) throws -> Row {
    let managed = try ManagedCore(folder: "\(folder)/\(count)", tenant: makeTenant(count))
    guard managed.policyCount == count else {
      throw Failure("merged \(managed.policyCount) policies instead of \(count)")
    }
    let questions = try Self.questions(managed)
    let empty = many { _ = managed.core.currentState }
    var (worst, least) = (("", 0.0), Double.infinity)
    for (name, ask) in questions {
      let (bare, asked) = try Measured.least(runs * 5, empty, many { _ = try ask(managed.core) })
      least = min(least, microseconds(bare))
      if microseconds(asked) > worst.1 { worst = (name, microseconds(asked)) }
    }
    let detail = "\(worst.0); empty call \(least.short) us, \((worst.1 / least).short) times that"
    return Row(
      title: "policy question, \(count) assigned", value: worst.1, unit: " us", atMost: 1, detail: detail)
  }

  /// The questions as the methods with the same names ask them.
  private static func questions(_ managed: ManagedCore) throws -> [(String, (Core) throws -> Bool)] {
    let alice = managed.alice
    guard let url = AbsoluteURL("mailto:eve@home.example") else { throw Failure("this is not a URL") }
    func asking(_ body: @escaping (PolicyQuestions, CoreState) -> Bool) -> (Core) throws -> Bool {
      { core in
        guard let state = core.currentState else { throw Failure("the core needs to read the disk") }
        return body(try state.questions(about: alice), state)
      }
    }
    return [
      ("isPINRequired", asking { questions, _ in questions.isPINRequired(devicePINIsSet: false).value }),
      ("isAppSharingAllowed", asking { questions, _ in questions.isAppSharingAllowed.value }),
      ("isURLAllowed", asking { questions, _ in questions.isURLAllowed(url, toManagedApp: false).value }),
      (
        "isSaveToAllowedForLocation",
        asking { $0.isSaveToAllowed(.sharePoint, locationAccount: alice, in: $1).value }
      ),
    ]
  }

  /// A tenant with one file that contains `count` different policies for alice.
  private func makeTenant(_ count: Int) throws -> TenantLocation {
    let path = "\(folder)/tenant-\(count)"
    for made in [path, path + "/policies", "\(folder)/\(count)"] { mkdir(made, 0o700) }
    let policies = (0..<count).map { number in
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_\(number)", "pinRequired": true,
       "minimumPinLength": \(4 + number % 3), "saveAsBlocked": true,
       "allowedOutboundDataTransferDestinations": "managedApps", "allowedDataStorageLocations": ["sharePoint"],
       "exemptedAppProtocols": [{"name": "Default", "value": "skype;itms"}]}
      """
    }
    try write("[" + policies.joined(separator: ",") + "]", to: path + "/policies/all.json")
    try write(#"{"users": [{"userPrincipalName": "alice@contoso.example"}]}"#, to: path + "/tenant.json")
    return .folder(path)
  }

  private func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw Failure("cannot write \(path)") }
    defer { fclose(file) }
    fputs(text, file)
  }

  private func many(_ call: @escaping () throws -> Void) -> Measured {
    Measured { for _ in 0..<Self.calls { try call() } }
  }

  private func microseconds(_ cost: Cost) -> Double { cost.elapsed / Double(Self.calls) * 1e6 }
}
