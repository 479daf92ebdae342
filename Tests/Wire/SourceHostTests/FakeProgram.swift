import Cryptography
import SourceProtocol
import Support
import TestSupport

@testable import MAM
@testable import Model
@testable import SourceHost

/// A source that is a shell script, and what it is asked.
struct FakeProgram {
  static let userId = "87d349ed-44d7-43e1-9a83-5f2406dee5bd"
  static let tenantId = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"

  /// Answers the first request, which is `source.open`.
  static let open = #"read l; echo '{"jsonrpc":"2.0","id":1,"result":{"name":"test","protocolVersion":1}}';"#

  /// Reads the next request, and answers it with these members.
  static func answer(_ id: Int, _ members: String) -> String {
    "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":\(id),\(members)}';"
  }

  /// Answers a check-in with an outcome and further members.
  static func outcome(_ id: Int, _ outcome: String, _ more: String = "") -> String {
    let user = #""user":{"id":"\#(userId)","tenantId":"\#(tenantId)","userPrincipalName":"alice@contoso.example"}"#
    return answer(id, #""result":{"outcome":"\#(outcome)",\#(user)\#(more)}"#)
  }

  let folder: TemporaryFolder
  let source: ProgramSource
  let listener = FakeListener()

  /// A script that waits at its end until its input ends.
  init(_ script: String, patience: Duration = .seconds(60), idleTime: Duration = .seconds(60)) {
    let folder = TemporaryFolder()
    let words = ["/bin/sh", "-c", "cd '\(folder.path)'; " + script + " cat >/dev/null"]
    self.init(words: words, in: folder, patience: patience, idleTime: idleTime)
  }

  init(
    words: [String], in folder: TemporaryFolder = TemporaryFolder(), patience: Duration = .seconds(60),
    idleTime: Duration = .seconds(60)
  ) {
    self.folder = folder
    source = ProgramSource(.command(words), locale: "en", patience: patience, idleTime: idleTime)
    source.connect(listener)
  }

  /// One check-in.
  func checkIn() async throws -> SourceReply? {
    let secret = try SecretBytes(count: 32)
    let request = SourceRequest(
      reason: .enroll, registration: SourceRegistration(id: "r", secret: secret),
      account: Account(accountId: nil, identity: "alice@contoso.example"), appId: "com.example.host",
      machine: SourceDevice(tag: "t", name: "host"), device: Device(), token: HostSecret("t.o-k_en"))
    return await source.answers(to: [request]).reply(at: 0)
  }

  func fault() async throws -> SourceFault? {
    if case .fault(let fault)? = try await checkIn() { fault } else { nil }
  }

  func news() async throws -> SourceNews? {
    if case .news(let news)? = try await checkIn() { news } else { nil }
  }

  /// What the script has written to a file in its folder.
  func written(_ name: String) -> String {
    (try? FileContents.read(folder.file(name))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

final class FakeListener: SourceListener {
  private let heard = Lock<[String]>([])

  var all: [String] { heard.withLock { $0 } }

  func sourceDidChange(_ reference: AccountReference?, within spread: Duration) {
    note("changed \(reference?.text ?? "all") \(spread.components.seconds)")
  }

  func sourceDidSay(_ line: String) { note("says \(line)") }

  private func note(_ text: String) { heard.withLock { $0.append(text) } }
}
