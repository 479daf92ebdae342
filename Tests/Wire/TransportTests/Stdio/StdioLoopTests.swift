import CGlibc
import Glibc
import JSONRPC
import Support
import TestSupport
import Testing

@testable import Transport

@Suite("The stdio server", .timeLimit(.minutes(5)), .ownThreads)
struct StdioLoopTests {
  @Test("The stdio server answers all requests sent before the end of input", arguments: RunningLoop.Kind.allCases)
  func answersAll(_ kind: RunningLoop.Kind) {
    let loop = RunningLoop(kind)
    loop.toServer.write((1...500).flatMap { (request($0, "echo", "[\($0)]") + "\n").utf8 })
    loop.toServer.end()
    #expect(loop.fromServer.readAll() == (1...500).map { result($0, "[\($0)]") + "\n" }.joined())
    #expect(loop.exitCode() == 0)
  }

  @Test("The stdio server answers a client that waits for each reply", arguments: RunningLoop.Kind.allCases)
  func pingPong(_ kind: RunningLoop.Kind) {
    let loop = RunningLoop(kind)
    for id in 1...50 {
      loop.toServer.write(line: request(id, "echo"))
      #expect(loop.fromServer.readLine() == result(id, "[]"))
    }
    loop.toServer.end()
    #expect(loop.exitCode() == 0)
  }

  @Test("The stdio server exits with 0 if it gets no input")
  func nothing() {
    let loop = RunningLoop(.pipes)
    loop.toServer.end()
    #expect(loop.fromServer.readAll() == "")
    #expect(loop.exitCode() == 0)
  }

  @Test("The stdio server can read from a file and write to a file")
  func files() {
    let folder = TemporaryFolder()
    let input = folder.write((1...300).map { request($0, "echo") + "\n" }.joined(), to: "in")
    let exitCode = TestThread {
      let loop = StdioLoop(
        input: open(input, O_RDONLY), output: open(folder.file("out"), O_WRONLY | O_CREAT, 0o600),
        signals: TerminationSignals()
      ) { wake in Session(handler: FakeHandler(), wake: wake) }
      return loop.run()
    }
    #expect(exitCode.join() == 0)
    let output = readFile(folder.file("out")).map { String(decoding: $0, as: UTF8.self) }
    #expect(output == (1...300).map { result($0, "[]") + "\n" }.joined())
  }

  @Test("The stdio server leaves the flags of inherited descriptors unchanged", arguments: RunningLoop.Kind.allCases)
  func flags(_ kind: RunningLoop.Kind) {
    let loop = RunningLoop(kind)
    loop.toServer.write(line: request(1, "echo"))
    #expect(loop.fromServer.readLine() == result(1, "[]"))
    #expect(fcntl(loop.inherited.input, F_GETFL) & O_NONBLOCK == 0)
    #expect(fcntl(loop.inherited.output, F_GETFL) & O_NONBLOCK == 0)
    loop.toServer.end()
    #expect(loop.exitCode() == 0)
  }

  @Test("A client that writes 200,000 requests before reading loses no reply", arguments: RunningLoop.Kind.allCases)
  func writesFirst(_ kind: RunningLoop.Kind) {
    let loop = RunningLoop(kind)
    let count = 200_000
    let line = { (id: Int) in #"{"jsonrpc":"2.0","id":\#(id),"method":"big"}"# + "\n" }
    loop.toServer.write((0..<count).flatMap { line($0).utf8 })
    loop.toServer.end()
    let output = loop.fromServer.readAll()
    #expect(output.utf8.count == (0..<count).reduce(0) { $0 + result($1, "\"\"").utf8.count + 1 })
    #expect(output.hasSuffix(result(count - 1, "\"\"") + "\n"))
    #expect(loop.exitCode() == 0)
  }

  @Test("The stdio server stops reading while its client does not read", arguments: RunningLoop.Kind.allCases)
  func backPressure(_ kind: RunningLoop.Kind) {
    var limits = SessionLimits()
    limits.outputBytes = 1 << 16
    let loop = RunningLoop(kind, limits: limits)
    let input = (0..<3000).flatMap { (request($0, "big", "[1000]") + "\n").utf8 }
    let written = loop.toServer.write(input, waits: false)
    #expect(written < input.count)
    #expect(loop.handler.callCount * 1000 < 1_000_000)
    let copy = dup(loop.toServer.descriptor)
    let writer = TestThread { Stream(copy).write(input[written...]) }
    loop.toServer.end()
    let text = String(repeating: "x", count: 1000)
    #expect(loop.fromServer.readAll() == (0..<3000).map { result($0, "\"\(text)\"") + "\n" }.joined())
    #expect(writer.join() == input.count - written)
    #expect(loop.exitCode() == 0)
  }

  @Test("At the end of input, the stdio server finishes running calls")
  func finishesWork() {
    let loop = RunningLoop(.pipes)
    loop.toServer.write(line: request(1, "held") + "\n" + request(2, "echo"))
    loop.toServer.end()
    loop.handler.waitForCall()
    #expect(!loop.fromServer.isReady(POLLIN, milliseconds: 20))
    loop.handler.hold.letGo()
    #expect(loop.fromServer.readAll() == result(1, "true") + "\n" + result(2, "[]") + "\n")
    #expect(loop.exitCode() == 0)
  }

  @Test("An invalid frame header ends the stdio server like the end of input")
  func brokenHeader() {
    let loop = RunningLoop(.pipes)
    loop.toServer.write(Array("Content-Length: none\r\n\r\n".utf8))
    #expect(loop.fromServer.readAll().contains("-32700"))
    #expect(loop.exitCode() == 0)
  }

  @Test("A pipe that cannot be reopened is written without blocking")
  func blockingPipe() {
    var descriptors: [Int32] = [-1, -1]
    pipe(&descriptors)
    let (reader, writer) = (Stream(descriptors[0]), Stream(descriptors[1]))
    let channel = ByteChannel(writer.descriptor, for: O_WRONLY, reopensPipes: false)
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    var written = 0
    while case .bytes(let count) = bytes.withUnsafeBytes({ channel.write($0) }) { written += count }
    #expect(written >= Int(PIPE_BUF))
    #expect(written < bytes.count)
    #expect(bytes.withUnsafeBytes { channel.write($0) } == .wouldBlock)
    reader.end()
    #expect(bytes.withUnsafeBytes { channel.write($0) } == .closed)
  }
}
