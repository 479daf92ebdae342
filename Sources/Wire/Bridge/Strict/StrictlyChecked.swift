import JSON
import JSONRPC
import MAM
import Model

/// A mistake that a check found in a call.
struct StrictFinding: Equatable, Sendable {
  let check: StrictCheck
  /// The account that it is about; `nil` for none.
  var account: AccountReference?

  init(_ check: StrictCheck, _ account: AccountReference? = nil) {
    self.check = check
    self.account = account
  }
}

/// A method with checks of its own, besides those of every call that names accounts.
protocol StrictlyChecked: Method {
  /// Finds what memory tells, on the reading thread. If it fails the call, the call is not made at all.
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding]
  /// Finds what the disk tells, before the call is made. May block.
  static func mistakesOnDisk(in params: Params, on connection: BridgeConnection) -> [StrictFinding]
  /// Finds what the result shows. The call is made and keeps its effect.
  static func mistakes(shownBy result: Result, of params: Params) -> [StrictFinding]
}

extension StrictlyChecked {
  static func mistakes(in params: Params, on connection: BridgeConnection) -> [StrictFinding] { [] }
  static func mistakesOnDisk(in params: Params, on connection: BridgeConnection) -> [StrictFinding] { [] }
  static func mistakes(shownBy result: Result, of params: Params) -> [StrictFinding] { [] }
}

extension Method {
  /// Whether strict mode can find a mistake in a call of the method.
  static var hasStrictChecks: Bool { self is any StrictlyChecked.Type || NamedAccounts.areNamed(by: self) }

  /// Answers like `checkedCall`. If strict mode is on, looks for mistakes first.
  static func strictCall(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    guard connection.core.strictMode.isAnyOn, hasStrictChecks else {
      return try checkedCall(node, on: connection, into: &writer)
    }
    return try inspectedCall(node, on: connection, into: &writer)
  }

  private static func inspectedCall(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    guard let params = try? params(from: node) else { return try checkedCall(node, on: connection, into: &writer) }
    let inspection = StrictInspection<Self>(params, node, connection)
    if let refusal = inspection.refusal { return refusal }
    guard inspection.needsWork else { return try checkedCall(node, on: connection, into: &writer) }
    var own = JSONWriter()
    let work = try checkedCall(node, on: connection, into: &own)
    return inspection.work(around: work, or: own.bytes)
  }
}

/// A call while strict mode is on.
struct StrictInspection<M: Method>: Sendable {
  private let params: M.Params
  private let connection: BridgeConnection
  private let thread: String
  private let early: [StrictFinding]

  init(_ params: M.Params, _ node: JSONNode?, _ connection: BridgeConnection) {
    self.params = params
    self.connection = connection
    thread = (params as? any Targeted)?.target.thread ?? NamedAccounts.thread(in: node, of: M.self)
    var findings = NamedAccounts.mistakes(in: node, params, of: M.self, on: connection)
    if let method = M.self as? any StrictlyChecked.Type {
      findings += Self.findings(of: method, params, connection)
    }
    early = connection.counting(findings, thread)
  }

  /// Whether something must be reported, or looked for outside of memory.
  var needsWork: Bool { !early.isEmpty || M.self is any StrictlyChecked.Type }

  /// Reports the mistakes and fails the call, which is not made; `nil` if there are none, or if calls do not fail.
  var refusal: Work? {
    guard let first = early.first, connection.core.strictMode.failsCalls else { return nil }
    return Work { [self] () async throws(RPCError) -> [UInt8] in
      report(early)
      throw Self.error(first)
    }
  }

  /// The work of the call, with the checks before and after it. `bytes` is the result of a call that needs no work.
  func work(around work: Work?, or bytes: [UInt8]) -> Work {
    Work(queue: work?.queue, isWaiting: work?.isWaiting ?? false, takeBack: { work?.takeBack() }) {
      [self] () async throws(RPCError) -> [UInt8] in
      try checkBefore(work)
      guard let work else { return bytes }
      let result = try await work.run()
      try settle(shown(by: result))
      return result
    }
  }

  private func checkBefore(_ work: Work?) throws(RPCError) {
    do throws(RPCError) {
      try settle(early + onDisk)
    } catch {
      work?.takeBack()
      throw error
    }
  }

  private var onDisk: [StrictFinding] {
    guard let method = M.self as? any StrictlyChecked.Type else { return [] }
    return connection.counting(Self.findingsOnDisk(of: method, params, connection), thread)
  }

  private func shown(by result: [UInt8]) -> [StrictFinding] {
    guard let method = M.self as? any StrictlyChecked.Type else { return [] }
    return connection.counting(Self.findings(of: method, shownBy: result, params), thread)
  }

  /// Reports mistakes, and fails the call if strict mode does that.
  private func settle(_ findings: [StrictFinding]) throws(RPCError) {
    guard let first = findings.first else { return }
    report(findings)
    guard connection.core.strictMode.failsCalls else { return }
    throw Self.error(first)
  }

  private func report(_ findings: [StrictFinding]) {
    let state = connection.core.state
    connection.core.report(
      findings.map { StrictViolation($0.check, in: M.name, about: $0.account.map(state.named)) })
  }

  private static func error(_ finding: StrictFinding) -> RPCError {
    let name = finding.check.rawValue
    return RPCError(
      MAMError(
        .strictViolation, "\(name): \(finding.check.text)",
        hint: "To go on without this check, call strictMode.disable with \(name)"))
  }

  private static func findings<S: StrictlyChecked>(
    of method: S.Type, _ params: M.Params, _ connection: BridgeConnection
  ) -> [StrictFinding] {
    guard let params = params as? S.Params else { return [] }
    return method.mistakes(in: params, on: connection)
  }

  private static func findingsOnDisk<S: StrictlyChecked>(
    of method: S.Type, _ params: M.Params, _ connection: BridgeConnection
  ) -> [StrictFinding] {
    guard let params = params as? S.Params else { return [] }
    return method.mistakesOnDisk(in: params, on: connection)
  }

  private static func findings<S: StrictlyChecked>(
    of method: S.Type, shownBy result: [UInt8], _ params: M.Params
  ) -> [StrictFinding] {
    guard let params = params as? S.Params, let document = try? JSONDocument(parsing: result),
      let result = try? S.Result.decode(document.root)
    else { return [] }
    return method.mistakes(shownBy: result, of: params)
  }
}

extension BridgeConnection {
  /// The findings of checks that are on, for a call of this thread of the host.
  fileprivate func counting(_ findings: [StrictFinding], _ thread: String) -> [StrictFinding] {
    findings.filter { core.strictMode.isOn($0.check) && !strictExemptions.contains($0.check, of: thread) }
  }
}
