@testable import Transport

/// One connection that speaks HTTP, byte by byte as a test wants it.
final class HTTPClient {
  struct Reply: Equatable {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: String
  }

  let stream: Stream
  private let host: String

  init(_ server: RunningListener) throws {
    stream = try server.connect()
    host = "127.0.0.1:\(server.port)"
  }

  /// What a good client sends; a field that is given replaces that of the same name, and nil removes it.
  func head(_ start: String, _ fields: [String: String?] = [:]) -> String {
    var all: [String: String?] = ["Host": host, "Authorization": "Bearer \(RunningListener.token)"]
    all.merge(fields) { $1 }
    let lines = all.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
    return start + " HTTP/1.1\r\n" + lines.sorted().joined() + "\r\n"
  }

  func post(_ body: String, _ fields: [String: String?] = [:]) -> String {
    let own = ["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"]
    return head("POST /rpc", fields.merging(own) { given, _ in given }) + body
  }

  func send(_ text: String) { stream.write(text.utf8) }

  func ask(_ text: String) -> Reply? {
    send(text)
    return readReply()
  }

  /// Nil at the end.
  func readReply() -> Reply? {
    guard let (status, headers) = readHead() else { return nil }
    let count = headers["content-length"].flatMap { Int($0) } ?? 0
    return Reply(status: status, headers: headers, body: count > 0 ? stream.read(count: count) : "")
  }

  func readHead() -> (status: Int, headers: [String: String])? {
    guard let start = readLine() else { return nil }
    var headers: [String: String] = [:]
    while let line = readLine(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = String(parts[1].dropFirst())
    }
    return (Int(start.dropFirst(9).prefix(3)) ?? 0, headers)
  }

  private func readLine() -> String? {
    stream.readLine().map { String($0.hasSuffix("\r") || $0.last == "\r\n" ? $0.dropLast() : $0[...]) }
  }

  /// One chunk of a body without a length.
  func readChunk() -> String? {
    guard let line = readLine(), let count = Int(line, radix: 16) else { return nil }
    defer { _ = readLine() }
    return count > 0 ? stream.read(count: count) : ""
  }
}
