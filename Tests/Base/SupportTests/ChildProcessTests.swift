import Glibc
import TestSupport
import Testing

@testable import Support

@Suite(.timeLimit(.minutes(2))) struct ChildProcessTests {
  private func start(_ script: String, output: ChildProcess.Stream = .nothing) throws -> ChildProcess {
    try ChildProcess.start(["sh", "-c", script], output: output, leadsGroup: true).get()
  }

  private func ending(of process: ChildProcess) async throws -> ChildProcess.Ending {
    #expect(await eventually { process.hasEnded })
    return try #require(process.reap())
  }

  @Test(
    "The ending of a child process is described by its exit status or signal",
    arguments: [
      ("exit 0", "ended with status 0"), ("exit 3", "ended with status 3"), ("kill -9 $$", "was ended by signal 9"),
    ])
  func endings(_ script: String, _ text: String) async throws {
    let found = try await ending(of: start(script))
    #expect(found.text == text)
    #expect(found.isSuccess == (script == "exit 0"))
  }

  @Test("A child process inherits no descriptors but its streams")
  func descriptors() async throws {
    // Not closed on exec by itself.
    let descriptor = open("/dev/null", O_RDONLY)
    defer { close(descriptor) }
    let found = try await ending(of: start("test ! -e /proc/$$/fd/\(descriptor)"))
    #expect(found.text == "ended with status 0")
  }

  @Test("Starting a program that does not exist or has no name is an error")
  func unstartable() {
    for words in [["/nowhere/program"], []] {
      guard case .failure(let error) = ChildProcess.start(words, output: .nothing) else {
        Issue.record("\(words) was started")
        continue
      }
      #expect(error.number == (words.isEmpty ? EINVAL : ENOENT))
    }
  }

  @Test("signalGroup reaches processes that an ended program left behind, and its ending stays known")
  func group() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let process = try start("sleep 600 & echo started", output: .descriptor(ends[1]))
    close(ends[1])
    defer { close(ends[0]) }
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(read(ends[0], &bytes, bytes.count) == 8)
    #expect(await eventually { process.hasEnded })
    process.signalGroup(SIGKILL)
    #expect(read(ends[0], &bytes, bytes.count) == 0)
    let ending = try #require(process.reap())
    #expect(ending.isSuccess)
    #expect(process.reap()?.isSuccess == true)
    #expect(process.hasEnded)
    process.signalGroup(SIGKILL)
  }

  @Test("After a program has been reaped, signalGroup sends nothing, as its number may be that of another")
  func reapedGroup() async throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let process = try start("sleep 600 & echo $!", output: .descriptor(ends[1]))
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = read(ends[0], &bytes, bytes.count)
    let left = try #require(pid_t(String(decoding: bytes.prefix(max(0, count - 1)), as: UTF8.self)))
    defer { kill(left, SIGKILL) }
    #expect(await eventually { process.hasEnded })
    #expect(process.reap()?.isSuccess == true)
    process.signalGroup(SIGKILL)
    var output = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    #expect(poll(&output, 1, 200) == 0, "process \(left) has ended")
  }

  @Test("A child process that ends while SIGCHLD is ignored has an unknown ending")
  func ignoredSignal() async {
    await #expect(processExitsWith: .success) {
      signal(SIGCHLD, SIG_IGN)
      let process = try ChildProcess.start(["true"], output: .nothing).get()
      while !process.hasEnded { usleep(1000) }
      guard case .unknown? = process.reap() else { exit(1) }
      process.signal(SIGKILL)
    }
  }
}
