import Bridge
import Glibc
import JSON
import MAM
import Model
import Support
import Transport

/// An error that a method returned.
struct CallFailure: Error {
  let error: JSONValue

  /// One line with the code, what is wrong, what to do, and the path.
  var line: String {
    let data = error["data"]
    let hint = data?["hint"]?.stringValue.map { ". \($0)" } ?? ""
    let place = data?["path"]?.stringValue.map { " (\($0))" } ?? ""
    return "error \(error["code"]?.jsonText ?? ""), \(error["message"]?.stringValue ?? "")\(hint)\(place)".shown
  }
}

/// Asks a core or a server for what `status`, `log` and `events` show, and waits for more.
final class Lookout {
  /// How long a core or a server may take to answer, unless --timeout says otherwise.
  private static let patience = Duration.seconds(30)

  let attention: Attention
  /// The folder whose state is read; `nil` if a server is asked.
  let folder: StateFolder?
  private let conversation: any Conversation
  private let patience: Duration
  private var notificationCount = 0

  init(_ conversation: any Conversation, _ attention: Attention, of folder: StateFolder? = nil, timeout: Duration?) {
    self.conversation = conversation
    patience = timeout ?? Self.patience
    self.attention = attention
    self.folder = folder
  }

  /// The result of one request. `waiting` is how long the method waits before it answers.
  func ask(_ method: String, _ members: JSONObject = [:], waiting: Duration = .zero) throws -> JSONValue {
    try conversation.send(CallRequest(method: method, members: members))
    let deadline = ContinuousClock.now + patience + waiting
    while true {
      while let message = try conversation.receive() {
        if message["method"] != nil {
          notificationCount += 1
        } else if let error = message["error"] {
          throw CallFailure(error: error)
        } else {
          return message["result"] ?? .null
        }
      }
      guard try attention.wait(for: conversation.descriptor, until: deadline) else {
        let seconds = (patience + waiting).secondsText
        throw CommandFailure(
          exitCode: 69,
          message: "no answer to \(method) within \(seconds) s: the server is stopped or busy. Look at its process, or "
            + "allow more time with --timeout SECONDS")
      }
    }
  }

  /// The time of the state, which may be ahead of the machine's clock.
  func time() throws -> Timestamp { try ask(API.information).time("time") ?? SystemClock().now }

  /// Waits until the server has pushed a notification since the last call of this function, or for the duration.
  func waitForNotification(atMost duration: Duration) throws {
    let deadline = ContinuousClock.now + duration
    while true {
      while let message = try conversation.receive() {
        if message["method"] != nil { notificationCount += 1 }
      }
      let isOver = notificationCount > 0
      notificationCount = 0
      if isOver { return }
      guard try attention.wait(for: conversation.descriptor, until: deadline) else { return }
    }
  }

  func end() { conversation.end() }
}

/// How long to wait before looking again for a state that is not there.
private let lookAgain = Duration.milliseconds(500)

extension AskingCommand {
  /// Runs a command that looks at the state or asks a server, and returns its exit code. The state is not changed, and
  /// other processes are not disturbed. With `isFollowing`, a signal or the end of the reader ends the command with exit
  /// code 0, and a missing state is waited for.
  func look(isFollowing: Bool = false, asJSON: Bool, _ body: (Lookout) throws -> Void) -> Int32 {
    Mambridge.prepareProcess()
    return reportingFailure {
      let attention = Attention(handlesSignals: isFollowing)
      do {
        let lookout = try makeLookout(attention, isFollowing: isFollowing)
        defer { lookout.end() }
        try body(lookout)
      } catch is Attention.Ended {
        return EXIT_SUCCESS
      } catch let failure as CallFailure {
        if asJSON { output.printFailure(failure.error) } else { printError("mambridge: \(failure.line)") }
        return EXIT_FAILURE
      }
      return EXIT_SUCCESS
    }
  }

  private func makeLookout(_ attention: Attention, isFollowing: Bool) throws -> Lookout {
    if let connect = server.connect { return try makeLookout(attention, server: connect) }
    var arguments = core.arguments
    arguments.isObserving = true
    let folder = try arguments.stateFolder()
    if isFollowing { try waitForState(folder, attention) }
    guard folder.hasState else { throw CommandFailure(exitCode: 1, message: folder.missingText) }
    return Lookout(LocalConversation(with: try arguments.makeBridge()), attention, of: folder, timeout: server.limit)
  }

  private func makeLookout(_ attention: Attention, server: String) throws -> Lookout {
    let address = try ServerConversation.orUnavailable { try ListenAddress(server) }
    let token = address.needsToken ? try ServerConversation.orUnavailable { try readToken() } : nil
    let limit = AnswerLimits(option: self.server.limit).greeting
    let lookout = Lookout(try ServerConversation(to: address, within: limit), attention, timeout: self.server.limit)
    if let token { _ = try lookout.ask(API.authentication, ["token": .string(token)]) }
    return lookout
  }

  private func waitForState(_ folder: StateFolder, _ attention: Attention) throws {
    guard !folder.hasState else { return }
    printError("mambridge: \(folder.missingText). Waiting for it")
    while !folder.hasState { try attention.wait(lookAgain) }
  }
}

extension StateFolder {
  /// Names the apps that do have a state.
  fileprivate var missingText: String {
    let others = appsWithState
    let hint =
      others.isEmpty
      ? "Nothing has been enrolled there yet, or --state names another folder"
      : "--app-id selects one of: \(others.joined(separator: ", "))"
    return "there is no state of the app \(appId) in \(root.shown). \(hint)"
  }
}
