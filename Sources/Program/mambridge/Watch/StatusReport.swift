import JSON
import MAM
import Model
import SourceHost
import Support

/// The screen that `status` prints: facts, a table of accounts, and the reasons for what is not as usual.
struct StatusReport {
  typealias Cell = DiagnosticSection.Text

  /// The width for a pipe, in which each account has one line.
  static let widest = 1000
  private static let noValue = Cell("-", .quiet)
  private static let asks = Cell("asks", .warning)

  private let information: JSONValue
  private let place: String
  private let tenant: String?
  private let now: Timestamp
  private let accounts: [JSONValue]

  /// `information` is the result of `diagnosticConsole.getDiagnosticInformation`; `place` is the state folder or the
  /// server's address; `tenant` is what --tenant names, or `nil` for that of a server.
  init(_ information: JSONValue, of place: String, tenant: String? = nil) {
    self.tenant = tenant
    self.information = information
    self.place = place
    now = information.time("time") ?? .latestText
    accounts = information["accounts"]?.arrayValue ?? []
  }

  func text(on terminal: Terminal) -> String {
    let parts = [facts(on: terminal), table(on: terminal), notes(on: terminal)]
    return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  private func facts(on terminal: Terminal) -> [String] {
    var facts: [(String, Cell)] = [
      ("App", Cell("\(information.text("appId")) on \(information.text("platform"))")),
      (isServer ? "Server" : "State", Cell(place)), ("Policies", source),
    ]
    if let tag = information["deviceTag"]?.stringValue { facts.append(("Device", Cell("tag \(tag)"))) }
    let launch = information["launch"]
    if let verdict = information["asks"] == true ? Self.asks : verdict(of: launch) { facts.append(("Launch", verdict)) }
    if information["isRestartPending"] == true { facts.append(("Restart", Cell("pending", .warning))) }
    if let wipe { facts.append(("Last wipe", Cell(wipe.spoken(now: now), .warning))) }
    if let warning = information["clockWarning"]?.stringValue { facts.append(("Clock", Cell(warning, .warning))) }
    let width = facts.map(\.0.columns).max() ?? 0
    return facts.flatMap { name, value -> [String] in
      let lines = value.text.shown.wrapped(to: max(1, terminal.width - width - 2))
      return lines.enumerated().map { index, line in
        (index == 0 ? name : "").padded(to: width) + "  " + terminal.styled(line, Style(value.tone))
      }
    }
  }

  private var wipe: LastWipe? {
    guard let value = information["lastWipe"], let document = try? JSONDocument(parsing: value.jsonText) else {
      return nil
    }
    return try? LastWipe.decode(document.root)
  }

  private var isServer: Bool { place.includes("://") }

  private var source: Cell {
    let kind = information["source"]?.stringValue
    if kind == "none", !isServer { return Cell("not checked; --tenant names their source", .quiet) }
    if let error = information["sourceError"]?.stringValue { return Cell("cannot be read: \(error)", .bad) }
    return switch kind {
    case "sample": "from the sample tenant"
    case "program": program
    default: "from a tenant folder"
    }
  }

  private var program: Cell {
    switch try? SourceProgram(argument: tenant) {
    case .tenantService(let address)?: Cell("from the service at \(address)")
    case .command(let words)?: Cell("from the program \(words.first ?? "")")
    case nil: "from a tenant service, or another program"
    }
  }

  private func table(on terminal: Terminal) -> [String] {
    guard !accounts.isEmpty else {
      let hint = "mambridge call enrollmentManager.registerAndEnrollAccount account=NAME"
      return "No account is registered. To enroll one:".wrapped(to: terminal.width) + ["  \(hint)"]
    }
    let columns = ["ACCOUNT", "STATE", "VERDICT", "ANSWERED", "NEXT CHECK-IN"]
    return TableLayout(columns, accounts.map(row), width: terminal.width).lines(terminal.styled)
  }

  private func row(_ account: JSONValue) -> [Cell] {
    let life = AccountLife(rawValue: account.text("life"))
    return [
      Cell(name(of: account)), Cell(account.text("life"), life?.tone ?? .plain),
      verdict(of: account) ?? Self.noValue,
      account.time("contactedAt").map { Cell($0.distance(from: now)) } ?? Self.noValue, next(account),
    ]
  }

  private func next(_ account: JSONValue) -> Cell {
    guard let time = account.time("nextCheckInAt") else { return Self.noValue }
    return time > now ? Cell(time.distance(from: now)) : Cell("due", .warning)
  }

  /// `nil` without a verdict, and from a server that does not report it.
  private func verdict(of value: JSONValue?) -> Cell? {
    guard let word = value?["verdict"]?.stringValue else { return nil }
    if value?["asks"] == true { return Self.asks }
    return Cell(word, LaunchVerdict(rawValue: word)?.tone ?? .plain)
  }

  private func name(of account: JSONValue) -> String {
    [account["identity"], account["accountId"]].lazy.compactMap { $0?.stringValue }.first { !$0.isEmpty } ?? "unknown"
  }

  private func notes(on terminal: Terminal) -> [String] {
    let reasons = (information["launch"]?["reasons"]?.arrayValue ?? []).map { $0.text("text") }
    let failures = accounts.compactMap { account -> String? in
      guard let status = account["lastStatus"], status["didSucceed"] == false else { return nil }
      let reason = status["errorString"]?.stringValue.map { ". \($0)" } ?? ""
      return "\(name(of: account)): \(status.text("status")) (\(status["statusCode"]?.jsonText ?? ""))\(reason)"
    }
    let unknown = accounts.flatMap { account in
      (account["unknownRestrictions"]?.arrayValue ?? []).map { "\(name(of: account)): \($0.text("text"))" }
    }
    return (reasons + failures + accounts.flatMap(untargeted) + unknown).flatMap { note -> [String] in
      var text = FlowText()
      text.add(note)
      return text.lines(width: terminal.width, terminal.styled)
    }
  }
}

extension StatusReport {
  /// For an account without a policy that the source has answered about: why none of the source's policies applies.
  private func untargeted(_ account: JSONValue) -> [String] {
    let (status, policies) = (account["lastStatus"], account["policies"]?.arrayValue ?? [])
    let isAnswered = status?["didSucceed"] == true || status?["statusCode"] == 225
    guard account["isManaged"] == false, isAnswered, !policies.contains(where: { $0["applied"] == true }) else {
      return []
    }
    return policies.map { policy in
      let (id, shown) = (policy.text("id"), policy.text("displayName"))
      let title = shown.isEmpty || shown == id ? id : "\"\(shown)\" (\(id))"
      return "\(name(of: account)): \(title) \(policy.text("text"))."
    }
  }
}

extension JSONValue {
  /// The text of a member; empty if there is none.
  func text(_ name: String) -> String { self[name]?.stringValue ?? "" }

  /// The time in a member; `nil` if there is none.
  func time(_ name: String) -> Timestamp? { self[name]?.stringValue.flatMap { Timestamp($0) } }
}
