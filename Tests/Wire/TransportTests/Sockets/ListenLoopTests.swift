import Glibc
import NIOCore
import Support
import TestSupport
import Testing

@testable import Transport

/// A listen loop on a thread of its own.
private struct Running {
  let thread: TestThread<Int32>
  private let threadID = Lock<pthread_t?>(nil)
  private let started = Semaphore()

  init(_ servers: RunningListener..., graceSeconds: Double = 30) {
    let listeners = servers.map(\.listener)
    thread = TestThread { [threadID, started] in
      let signals = TerminationSignals()
      threadID.withLock { $0 = pthread_self() }
      started.signal()
      return ListenLoop(listeners: listeners, signals: signals, graceSeconds: graceSeconds).run()
    }
    started.wait()
  }

  func send(signal: Int32) {
    if let thread = threadID.withLock({ $0 }) { pthread_kill(thread, signal) }
  }
}

@Suite("The end of a listener", .timeLimit(.minutes(5)), .ownThreads)
struct ListenLoopTests {
  @Test("SIGTERM, SIGINT or SIGHUP closes idle connections and ends a listener", arguments: [SIGTERM, SIGINT, SIGHUP])
  func idle(_ number: Int32) throws {
    let server = try RunningListener()
    let loop = Running(server)
    let (client, stranger) = (try server.open(), try server.connect())
    loop.send(signal: number)
    #expect(client.readLine() == nil)
    #expect(stranger.readLine() == nil)
    client.end()
    stranger.end()
    #expect(loop.thread.join() == 0)
    #expect(throws: (any Error).self) { try server.connect() }
  }

  @Test("A signal ends all listeners once each of them has finished its running calls")
  func several() throws {
    let servers = try [RunningListener.tcp, RunningListener.unix, RunningListener.http].map { try RunningListener($0) }
    let loop = Running(servers[0], servers[1], servers[2])
    let (tcp, unix, http) = (try servers[0].open(), try servers[1].open(), try HTTPClient(servers[2]))
    tcp.write(line: request(1, "held"))
    unix.write(line: request(2, "held"))
    http.send(http.post(request(3, "held")))
    for server in servers { server.waitForFirstCall() }
    for server in servers.dropLast() { server.all[0].waitForCall() }
    loop.send(signal: SIGTERM)
    for server in servers {
      while (try? server.connect()) != nil {}
      server.letGo()
    }
    #expect(tcp.readLine() == result(1, "true"))
    #expect(unix.readLine() == result(2, "true"))
    #expect(http.readReply()?.body == result(3, "true"))
    for client in [tcp, unix, http.stream] { client.end() }
    #expect(loop.thread.join() == 0)
  }

  @Test("After a signal, a listener finishes running calls and sends their replies whole")
  func finishesWork() throws {
    let server = try RunningListener()
    let loop = Running(server)
    let client = try server.open()
    client.write(line: request(1, "held") + "\n" + request(2, "big", "[3000000]"))
    server.all[0].waitForCall()
    server.all[0].waitForCall()
    loop.send(signal: SIGTERM)
    while (try? server.connect()) != nil {}
    client.write(line: request(3, "echo"))
    server.letGo()
    #expect(client.readLine() == result(1, "true"))
    #expect(client.readLine()?.utf8.count == result(2, "\"\"").utf8.count + 3_000_000)
    #expect(client.readLine() == nil)
    client.end()
    #expect(loop.thread.join() == 0)
  }

  @Test("When the grace period of a listener is over, open calls get -32002 and the exit code is 75")
  func grace() throws {
    let server = try RunningListener()
    let loop = Running(server, graceSeconds: 0.1)
    let client = try server.open()
    client.write(line: request(1, "held") + "\n" + request(2, "echo"))
    server.all[0].waitForCall()
    server.all[0].waitForCall()
    loop.send(signal: SIGTERM)
    #expect(failure(client.readLine()) == "1: -32002")
    #expect(failure(client.readLine()) == "2: -32002")
    #expect(client.readLine() == nil)
    #expect(loop.thread.join() == 75)
  }

  @Test("A second SIGTERM ends a listener at once with exit code 143")
  func secondSignal() throws {
    let server = try RunningListener()
    let loop = Running(server)
    let client = try server.open()
    client.write(line: request(1, "held"))
    server.all[0].waitForCall()
    server.all[0].waitForCall()
    loop.send(signal: SIGTERM)
    while (try? server.connect()) != nil {}
    loop.send(signal: SIGTERM)
    #expect(loop.thread.join() == 128 + SIGTERM)
  }
}
