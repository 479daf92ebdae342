import Glibc
import JSON
import SourceProtocol
import Support

/// `mambridge-tenant dev`, which serves the tenant of a sandbox over the network. Ends with this process.
package final class DevelopmentTenantProgram: DevelopmentTenant {
  private static let variable = "MAMBRIDGE_TENANT_PROGRAM"
  private static let startTime = Duration.seconds(30)
  /// Longer than the program waits for an answer itself.
  private static let patience = Duration.seconds(60)

  package let program: String
  package let places: DevelopmentPlaces
  private let connection: SourceConnection
  private let speech: Speech

  private init(_ program: String, _ places: DevelopmentPlaces, _ connection: SourceConnection, _ speech: Speech) {
    (self.program, self.places, self.connection, self.speech) = (program, places, connection, speech)
  }

  /// Starts the program with the folder of a tenant.
  package static func start(tenant: String) async throws(DevelopmentFailure) -> DevelopmentTenantProgram {
    let program = absolutePath(of: environment(variable) ?? SourceProgram.servicePath)
    let speech = Speech()
    let connection = try begin([program, "dev", "--ephemeral", "--requests", "--tenant", tenant], speech)
    let reply = await connection.ask(ToDevelopment.Open.name, Nothing().jsonBytes, until: .now + startTime)
    do throws(DevelopmentFailure) {
      let places: DevelopmentPlaces = try read(reply, of: "the program", within: startTime)
      return DevelopmentTenantProgram(program, places, connection, speech)
    } catch {
      connection.end("it does not serve a development tenant")
      connection.waitForEnd()
      let isSilent = speech.text.isEmpty
      let advice = ". Name the mambridge-tenant of this release with \(variable) in the environment"
      throw DevelopmentFailure(
        "\(program) does not serve a development tenant: \(error.text)"
          + (isSilent ? advice : speech.end(of: error.text)))
    }
  }

  private static func begin(_ words: [String], _ speech: Speech) throws(DevelopmentFailure) -> SourceConnection {
    let listener = SourceConnection.Listener(didReceive: { _ in }, didSay: speech.add, didEnd: { _ in })
    do throws(SourceChild.CannotStart) {
      return try SourceConnection.start(words, listener, linesInPeriod: Speech.mostLines)
    } catch {
      let reason = error.error.number == ENOENT ? "there is no such program" : error.error.text
      throw DevelopmentFailure(
        "cannot start \(words[0]): \(reason). Install mambridge-tenant, or name the program with \(variable) in the "
          + "environment")
    }
  }

  /// A name without a slash is looked up in PATH.
  private static func absolutePath(of program: String) -> String {
    guard program.includes("/"), !program.hasPrefix("/") else { return program }
    let folder = getcwd(nil, 0)
    defer { free(folder) }
    return (folder.map { String(cString: $0) } ?? ".") + "/" + program
  }

  package var log: String { speech.text }

  package var ending: String? { connection.ending }

  package func send(_ request: ToDevelopment.Send.Params) async throws(DevelopmentFailure) -> DevelopmentAnswer {
    try await ask(ToDevelopment.Send.name, request.jsonBytes)
  }

  package func token(of user: String) async throws(DevelopmentFailure) -> TokenText {
    try await ask(ToDevelopment.GetToken.name, ToDevelopment.GetToken.Params(user: user).jsonBytes)
  }

  package func end() {
    connection.end("the sandbox ends")
    connection.waitForEnd()
  }

  private func ask<Value: FieldValue>(_ method: String, _ params: [UInt8]) async throws(DevelopmentFailure) -> Value {
    let reply = await connection.ask(method, params, until: .now + Self.patience)
    return try Self.read(reply, of: program, within: Self.patience)
  }

  private static func read<Value: FieldValue>(
    _ reply: SourceConnection.Reply, of program: String, within patience: Duration
  ) throws(DevelopmentFailure) -> Value {
    do throws(SourceConnection.Failure) {
      let answer = try reply.get()
      do throws(JSONDecodingError) { return try Value.decode(answer.result) } catch {
        throw .over("the answer of \(program) cannot be read: \(error.message)")
      }
    } catch {
      switch error {
      case .error(_, let message, _): throw DevelopmentFailure(message)
      case .late: throw DevelopmentFailure("\(program) did not answer within \(patience.components.seconds) s")
      case .cancelled: throw DevelopmentFailure("nobody waits for the answer")
      case .over(let reason): throw DevelopmentFailure(reason)
      }
    }
  }
}

/// The last lines that a program has said.
private final class Speech: Sendable {
  static let mostLines = 5_000
  /// Of an error.
  private static let lastLines = 20
  private let lines = Lock<[String]>([])

  @Sendable func add(_ line: String) {
    lines.withLock { lines in
      lines.append(line)
      if lines.count > Self.mostLines { lines.removeFirst() }
    }
  }

  var text: String { lines.withLock { $0.joined(separator: "\n") } }

  /// The last lines, for an error that may have the last of them already.
  func end(of error: String) -> String {
    let last = lines.withLock { $0.suffix(Self.lastLines) }
    guard last.count > 1 || last.first.map({ !error.includes($0) }) ?? false else { return "" }
    return ". It said:\n" + last.joined(separator: "\n")
  }
}
