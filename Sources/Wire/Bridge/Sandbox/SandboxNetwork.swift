import Glibc
import JSON
import Model
import SourceProtocol
import Support

/// The tenant of a sandbox over the network. It starts when somebody first asks for it.
package final class SandboxNetwork: Sendable {
  /// Serves the tenant in a folder.
  package typealias Start = @Sendable (_ tenant: String) async throws(DevelopmentFailure) -> any DevelopmentTenant

  private struct State {
    /// `nil` unless the network starts now.
    var start: NetworkStart?
    /// Also one that has ended by itself.
    var running: (any DevelopmentTenant)?
    /// The states that were made for apps.
    var apps = 0
    var isOver = false
  }

  /// The requests of a report, or the lines of the log.
  private static let mostReported = 20
  /// How long a report waits for the requests, and a change of the tenant until it is read. A test that fails does not
  /// wait long for the report.
  private static let (reportPatience, reloadPatience) = (Duration.seconds(2), Duration.seconds(5))

  private let tenant: String
  private let start: Start
  private let state = Lock(State())

  /// `tenant` is the folder of the tenant.
  init(tenant: String, start: @escaping Start) {
    (self.tenant, self.start) = (tenant, start)
  }

  /// For a sandbox without a network.
  package static let unavailable: Start = { (_) async throws(DevelopmentFailure) in
    throw DevelopmentFailure("this sandbox has no network. Use mambridge sandbox")
  }

  /// The same one each time. After a start that failed, the next call tries again. Throws if the network has ended by
  /// itself, unless this call is to start another one, which knows nothing of what was registered with the former.
  func running(startingAnother: Bool = false) async throws(MAMError) -> any DevelopmentTenant {
    if let running = state.withLock({ $0.running }) {
      guard let ending = running.ending else { return running }
      guard startingAnother else { throw Self.ended(ending) }
    }
    let start = try beginning()
    let outcome = await start.outcome()
    state.withLock { state in
      if state.start === start { state.start = nil }
    }
    // All other calls were canceled, just before this one waited.
    if case .failure = outcome, start.isGivenUp, !Task.isCancelled {
      return try await self.running(startingAnother: startingAnother)
    }
    do throws(DevelopmentFailure) { return try outcome.get() } catch { throw MAMError(.networkFailed, error.text) }
  }

  /// The start for which a call waits.
  private func beginning() throws(MAMError) -> NetworkStart {
    let beginning = state.withLock { state -> NetworkStart? in
      guard !state.isOver else { return nil }
      if let start = state.start, !start.isGivenUp { return start }
      let start = NetworkStart(after: state.start) { [self] in await open() }
      state.start = start
      return start
    }
    guard let beginning else { throw MAMError(.networkFailed, "the sandbox ends") }
    return beginning
  }

  private func open() async -> NetworkStart.Outcome {
    if let running = state.withLock({ $0.running }), running.ending == nil { return .success(running) }
    do throws(DevelopmentFailure) {
      let running = try await start(tenant)
      state.withLock { $0.running = running }
      return .success(running)
    } catch {
      return .failure(error)
    }
  }

  /// Ends the program, if one runs or starts. Waits until nothing of it is left.
  func end() {
    let start = state.withLock { state in
      state.isOver = true
      return state.start
    }
    start?.giveUp()
    start?.waitForEnd()
    state.withLock { $0.running }?.end()
  }

  /// What the network has said, also one that has ended.
  var log: String {
    get async throws(MAMError) {
      if let running = state.withLock({ $0.running }) { return running.log }
      return try await running().log
    }
  }

  func send(_ request: ToDevelopment.Send.Params) async throws(MAMError) -> DevelopmentAnswer {
    try await ask { running async throws(DevelopmentFailure) in try await running.send(request) }
  }

  func token(of user: String) async throws(MAMError) -> TokenText {
    try await ask { running async throws(DevelopmentFailure) in try await running.token(of: user) }
  }

  private func ask<Value>(
    _ body: (any DevelopmentTenant) async throws(DevelopmentFailure) -> Value
  ) async throws(MAMError) -> Value {
    let running = try await running()
    do throws(DevelopmentFailure) { return try await body(running) } catch {
      throw running.ending == nil ? MAMError(.networkFailed, error.text) : Self.ended(error.text)
    }
  }

  private static func ended(_ reason: String) -> MAMError {
    MAMError(
      .networkFailed, "the network has ended: \(reason)",
      hint: "sandbox.network starts another one, at another address and without the registrations")
  }

  /// Makes a state for an app that uses the network, which the program removes at its end.
  func makeState() async throws(MAMError) -> String {
    let base = try await running().places.state
    let number = state.withLock { state in
      state.apps += 1
      return state.apps
    }
    let path = "\(base)-\(number)"
    // A state without this mark gives a development tenant nothing.
    let mark = path + "/development"
    guard mkdir(path, 0o700) == 0 else { throw .cannotUse(path, errno) }
    let descriptor = Glibc.open(mark, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(mark, errno) }
    close(descriptor)
    return path
  }
}

// What tests control

extension SandboxNetwork {
  /// Sends a request below `/dev`. Returns the answer, which is null for a change.
  @discardableResult
  func control(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws(MAMError) -> JSONValue {
    let secret = TokenText(try await running().places.secret)
    let answer = try await send(
      ToDevelopment.Send.Params(method: method, path: "/dev/\(path)", token: secret, body: body?.jsonText))
    let value = (try? JSONValue(parsing: Array(answer.body.utf8))) ?? .null
    guard answer.status >= 400 else { return value }
    throw MAMError(.networkFailed, value["error"]?["message"]?.stringValue ?? "the network answers \(answer.status)")
  }

  /// Lets the network read the tenant, if one runs.
  func reload() async throws(MAMError) {
    guard let running = state.withLock({ $0.running }), running.ending == nil else { return }
    do throws(MAMError) {
      _ = try await within(Self.reloadPatience) { [self] () async throws(MAMError) in
        try await control("POST", "reload")
      }
    } catch {
      // It has ended meanwhile, and the next one reads the tenant when it starts.
      guard running.ending == nil else { return }
      throw MAMError(
        error.code, "the tenant has changed, but its network did not read it: \(error.message)",
        hint: "sandbox.networkLog says what happened there")
    }
  }

  /// The last requests, without those of tests.
  func requests() async throws(MAMError) -> [NetworkRequest] {
    let found = try await control("GET", "requests")["requests"]?.arrayValue ?? []
    return found.compactMap(NetworkRequest.init).filter { !$0.path.hasPrefix("/dev/") }
  }

  /// The last requests, one a line, or why they are lost; `nil` if there is no network.
  var report: String? {
    get async {
      guard let running = state.withLock({ $0.running }) else { return nil }
      do throws(MAMError) {
        let found = try await within(Self.reportPatience) { [self] () async throws(MAMError) in try await requests() }
        return found.suffix(Self.mostReported).map(\.text).joined(separator: "\n")
      } catch {
        let log = running.log.split(separator: "\n").suffix(Self.mostReported).joined(separator: "\n")
        return "The requests are lost: \(error.message)\n\(log)"
      }
    }
  }

  /// Gives a question up that is not answered in time.
  private func within<Answer: Sendable>(
    _ patience: Duration, _ question: @escaping @Sendable () async throws(MAMError) -> Answer
  ) async throws(MAMError) -> Answer {
    let asking = Task(executorPreference: BlockingExecutor.shared) { () async -> Swift.Result<Answer, MAMError> in
      do throws(MAMError) { return .success(try await question()) } catch { return .failure(error) }
    }
    let timer = Timers.shared.after(patience) { asking.cancel() }
    defer { timer.cancel() }
    let answer = await asking.value
    if case .failure = answer, asking.isCancelled {
      throw MAMError(.networkFailed, "it did not answer within \(patience.components.seconds) s")
    }
    return try answer.get()
  }
}

/// A request that somebody has sent to the network of a sandbox.
struct NetworkRequest: Record {
  var method: String
  var path: String
  var status: Int64
  var who: String?
  var why: String?
  var fault: String?
  var text: String

  static let fields = Fields(
    Self.init, Field("method", \.method, "The method of HTTP."), Field("path", \.path, "The path."),
    Field("status", \.status, "The status of the answer; 0 for none."),
    Field("who", \.who, "The user principal name, or what else is known; null for nobody."),
    Field("why", \.why, "Why it was refused, or what it led to; null if there is nothing to say."),
    Field("fault", \.fault, "The planted fault that hit it; null for none."),
    Field("text", \.text, "All of it in a line."))
}

extension NetworkRequest {
  /// As `/dev/requests` has it; `nil` if something is missing.
  fileprivate init?(_ value: JSONValue) {
    guard let method = value["method"]?.stringValue, let path = value["path"]?.stringValue,
      let status = value["status"]?.integerValue
    else { return nil }
    (self.method, self.path, self.status) = (method, path, status)
    (who, why, fault) = (value["who"]?.stringValue, value["why"]?.stringValue, value["fault"]?.stringValue)
    let reason = (fault ?? why).map { ", \($0)" } ?? ""
    text = "\(method) \(path)\(who.map { " by \($0)" } ?? ""): \(status)\(reason)"
  }
}
