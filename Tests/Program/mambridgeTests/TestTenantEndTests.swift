import Glibc
import Support
import TestSupport
import Testing

@testable import mambridge

/// How a run of tests ends, and what it leaves behind: nothing, however it ends.
@Suite(.ownThreads) struct TestTenantEndTests {
  let tenant = TemporaryFolder()
  /// Where the run keeps its files.
  let runtime = TemporaryFolder()

  init() {
    tenant.write(
      """
      {"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example", "groups": ["staff"]}],
       "assignments": [{"policy": "policies/ios.json", "groups": ["staff"], "apps": ["*"]}]}
      """, to: "tenant.json")
    tenant.write(
      """
      {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "Strict",
       "pinRequired": true}
      """, to: "policies/ios.json")
  }

  private var environment: [String: String] { ["XDG_RUNTIME_DIR": runtime.path] }
  private var arguments: [String] { ["tenant", "test", "--tenant", tenant.path] }
  private var leftovers: [String] { (try? Subprocess.run("/bin/ls", ["-A", runtime.path]).lines) ?? ["?"] }

  private func write(_ count: Int, to file: String = "tests/a.mamtest") {
    let test = "\nas alice@contoso.example\npolicy.isPINRequired -> true\n"
    tenant.write((0..<count).map { "test \"\(file) \($0)\"" + test }.joined(), to: file)
  }

  private func run(_ more: String...) throws -> Subprocess.Outcome {
    try Subprocess.run(Program.path, arguments + more, environment: environment)
  }

  /// A run that has begun and takes long.
  private func start() async throws -> Subprocess {
    write(3000)
    let process = try Subprocess(Program.path, arguments, environment: environment)
    let hasBegun = await eventually { !leftovers.isEmpty }
    #expect(hasBegun)
    return process
  }

  @Test(
    "tenant test prints outcomes in the order of the tests, with any number of --jobs", arguments: ["1", "2", "9"])
  func order(jobs: String) throws {
    write(12)
    write(12, to: "tests/b.mamtest")
    let outcome = try run("--jobs", jobs)
    let names = ["a", "b"].flatMap { file in (0..<12).map { "pass    tests/\(file).mamtest \($0)" } }
    #expect(outcome.lines == names + ["24 passed, 0 failed, 0 could not run"])
    #expect(outcome.status == 0)
    #expect(leftovers.isEmpty)
  }

  @Test("tenant test exits with 64 if the number of --jobs is out of range", arguments: ["0", "257", "-1", "x"])
  func jobs(text: String) throws {
    let outcome = try run("--jobs=\(text)")
    #expect(outcome.status == 64, "\(outcome)")
    #expect(outcome.errors.contains("--jobs"), "\(outcome)")
  }

  @Test("In a TestPool, hanging work blocks no other work, and a stopped pool does not wait for it")
  func hangs() async throws {
    let pool = TestPool()
    let (others, end) = (Support.Semaphore(), Support.Semaphore())
    let wholeRun = pool.results(of: 9, on: 2) { number in
      if number == 0 { (0..<8).forEach { _ in others.wait() } } else { others.signal() }
      return number
    }
    #expect(wholeRun == Array(0..<9))
    let stopped = pool.results(of: 2, on: 2) { number in
      if number == 0 { end.wait() } else { pool.abandon() }
      return number
    }
    end.signal()
    #expect(stopped == nil)
  }

  @Test(
    "A signal ends tenant test at once with 128 plus its number and leaves no files", arguments: [SIGINT, SIGTERM])
  func signals(number: Int32) async throws {
    let process = try await start()
    process.send(signal: number)
    let outcome = try process.wait()
    #expect(outcome.status == 128 + number, "\(outcome)")
    #expect(outcome.output.isEmpty, "\(outcome)")
    #expect(leftovers.isEmpty)
  }

  @Test("tenant test removes the files of an earlier run that was killed")
  func killed() async throws {
    let process = try await start()
    process.send(signal: SIGKILL)
    let outcome = try process.wait()
    #expect(outcome.status == -SIGKILL)
    #expect(!leftovers.isEmpty)
    write(1)
    let isRemoved = await eventually {
      let next = try? run()
      return next?.status == 0 && leftovers.isEmpty
    }
    #expect(isRemoved)
  }

  @Test("If the disk is full, tenant test says so, exits with 2 and leaves no files")
  func full() throws {
    write(3)
    let script = "ulimit -f 8; exec \"$0\" \"$@\""
    let outcome = try Subprocess.run(
      "/bin/bash", ["-c", script, Program.path] + arguments, environment: environment)
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.contains("the disk is full"), "\(outcome)")
    #expect(outcome.output.contains("files of tests are in \(runtime.path)/"), "\(outcome)")
    #expect(outcome.output.hasSuffix("0 passed, 0 failed, 3 could not run\n"))
    #expect(leftovers.isEmpty)
  }

  @Test("tenant test exits with 78 for a folder it cannot read", .disabled(if: Privileges.isRoot, "root reads all"))
  func unreadable() throws {
    write(1)
    chmod(tenant.file("tests"), 0)
    defer { chmod(tenant.file("tests"), 0o700) }
    let outcome = try run()
    #expect(outcome.status == 78, "\(outcome)")
    #expect(outcome.errors.contains("cannot read \(tenant.path)/tests"), "\(outcome)")
    #expect(leftovers.isEmpty)
  }

  @Test("tenant test rejects a value from a named pipe instead of waiting for it")
  func pipe() throws {
    mkfifo(tenant.file("tests-pipe"), 0o600)
    tenant.write("test \"p\"\nas alice@contoso.example\nenforcement.copy text=@../tests-pipe", to: "tests/a.mamtest")
    let outcome = try run()
    #expect(outcome.status == 2, "\(outcome)")
    #expect(outcome.output.contains("is not a regular file"), "\(outcome)")
  }
}
