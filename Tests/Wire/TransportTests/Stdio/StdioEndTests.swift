import Glibc
import JSONRPC
import TestSupport
import Testing

@testable import Transport

@Suite("The end of the stdio server", .timeLimit(.minutes(5)), .ownThreads)
struct StdioEndTests {
  @Test("After the grace period, open calls get -32002 and the exit code is 75", arguments: RunningLoop.Kind.allCases)
  func grace(_ kind: RunningLoop.Kind) {
    let loop = RunningLoop(kind, graceSeconds: 0.1)
    loop.toServer.write(line: [request(1, "echo"), request(2, "held"), request(3, "echo")].joined(separator: "\n"))
    loop.toServer.end()
    #expect(loop.fromServer.readLine() == result(1, "[]"))
    #expect(failure(loop.fromServer.readLine()) == "2: -32002")
    #expect(failure(loop.fromServer.readLine()) == "3: -32002")
    #expect(loop.fromServer.readLine() == nil)
    #expect(loop.exitCode() == 75)
    loop.handler.hold.letGo()
  }

  @Test("A client that never reads delays the end of the stdio server only for the grace period")
  func neverReads() {
    let loop = RunningLoop(.pipes, graceSeconds: 0.1)
    loop.toServer.write(line: request(1, "big", "[1000000]"))
    loop.toServer.end()
    #expect(loop.exitCode() == 75)
  }

  @Test("After the grace period, a client that reads slowly does not delay the end of the stdio server")
  func readsSlowly() {
    let loop = RunningLoop(.pipes, graceSeconds: 0, lastSeconds: 0)
    loop.toServer.write(line: request(1, "big", "[1000000]"))
    loop.toServer.end()
    #expect(loop.exitCode() == 75)
    #expect(loop.fromServer.readAll().utf8.count < 1_000_000)
  }

  @Test("A second signal ends the stdio server at once even while it sends its last replies")
  func signalsAtLast() {
    let loop = RunningLoop(.pipes, graceSeconds: 0)
    loop.toServer.write(line: request(1, "big", "[10000000]"))
    #expect(loop.fromServer.read(count: 1) == "{")
    loop.toServer.end()
    loop.send(signal: SIGTERM)
    loop.send(signal: SIGINT)
    _ = loop.fromServer.readAll()
    #expect([128 + SIGTERM, 128 + SIGINT].contains(loop.exitCode()))
  }

  @Test("If its reader is gone, the stdio server still carries out all calls", arguments: RunningLoop.Kind.allCases)
  func brokenPipe(_ kind: RunningLoop.Kind) {
    let loop = RunningLoop(kind)
    loop.fromServer.end()
    loop.toServer.write(line: [request(1, "held"), request(2, "echo"), request(3, "echo")].joined(separator: "\n"))
    loop.handler.hold.letGo()
    #expect(loop.exitCode() == 0)
    #expect(loop.handler.callCount == 3)
  }

  @Test("The stdio server ends with exit code 74 if the disk is full")
  func fullDisk() {
    let exitCode = TestThread {
      var descriptors: [Int32] = [-1, -1]
      pipe(&descriptors)
      let client = Stream(descriptors[1])
      let output = Stream(open("/dev/full", O_WRONLY))
      client.write(line: request(1, "echo"))
      let loop = StdioLoop(input: descriptors[0], output: output.descriptor, signals: TerminationSignals()) { wake in
        Session(handler: FakeHandler(), wake: wake)
      }
      defer { close(descriptors[0]) }
      return loop.run()
    }
    #expect(exitCode.join() == 74)
  }

  @Test("On a signal, the stdio server finishes running calls and exits with 0", arguments: [SIGTERM, SIGINT])
  func signal(_ number: Int32) {
    let loop = RunningLoop(.pipes)
    loop.toServer.write(line: request(1, "held"))
    loop.handler.waitForCall()
    loop.send(signal: number)
    #expect(!loop.fromServer.isReady(POLLIN, milliseconds: 20))
    loop.handler.hold.letGo()
    #expect(loop.fromServer.readAll() == result(1, "true") + "\n")
    #expect(loop.exitCode() == 0)
  }

  @Test("On a second signal, the stdio server ends at once with 128 plus its number", arguments: [SIGTERM, SIGINT])
  func secondSignal(_ number: Int32) {
    let loop = RunningLoop(.pipes)
    loop.toServer.write(line: request(0, "waits") + "\n" + request(1, "held"))
    for _ in 0..<2 { loop.handler.waitForCall() }
    loop.send(signal: number)
    // The answer to what waits says that the first one has come: two that come together count as one.
    #expect(loop.fromServer.readLine() == result(0, "\"cut\""))
    loop.send(signal: number)
    #expect(loop.exitCode() == 128 + number)
    #expect(loop.fromServer.readAll() == "")
    loop.handler.hold.letGo()
  }

  @Test("A first signal after the end of input does not stop running calls of the stdio server")
  func signalAfterEnd() {
    let loop = RunningLoop(.pipes)
    loop.toServer.write(line: request(1, "held"))
    loop.handler.waitForCall()
    loop.toServer.end()
    #expect(!loop.fromServer.isReady(POLLIN, milliseconds: 20))
    loop.send(signal: SIGTERM)
    #expect(!loop.fromServer.isReady(POLLIN, milliseconds: 20))
    loop.handler.hold.letGo()
    #expect(loop.exitCode() == 0)
  }
}
