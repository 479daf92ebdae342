import ArgumentParser
import Glibc
import Support

struct TestTenant: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Run the tests beside the policies: what users may do, and why.",
    usage: "mambridge tenant test [<options>] [<file> ...]",
    discussion: """
      Each file contains tests in the words of the command line. Every test has a state of its own, a copy of the \
      tenant and a manual clock; nothing of it is left. Without files, runs all *.mamtest files in the tenant's folder \
      and in its folder tests. Without --tenant, a file tests the tenant.json beside it or in the folder above.

      A failure says what was expected, what came, why, and which settings would have to change.

      Exit codes: 0 all tests passed; 1 a test failed; 2 a test or a file could not be run; 64 invalid command line; 78 \
      there is no such tenant.

      Examples:

        # Run the tests in the folder of a tenant
        mambridge tenant test --tenant contoso

        # Run the tests about PINs, and write what a CI server shows
        mambridge tenant test contoso/tests/pin.mamtest \\
          --filter PIN --format junit >results.xml

        # Begin with what the tenant answers today
        mambridge tenant test --tenant contoso --record contoso/tests/today.mamtest

        # See which settings no test proves
        mambridge tenant test --tenant contoso --coverage
      """)

  @Argument(help: "Files with tests.", completion: .file())
  var file: [String] = []

  @Option(
    help: "The tenant folder, or \"sample\" for the built-in tenant.", completion: .directory)
  var tenant: String?

  @Option(help: "Run only tests whose name contains this text.")
  var filter: String?

  @Option(help: "How to print the outcomes.")
  var format = TestReport.Format.text

  @Option(help: "How many tests run at once; by default as many as there are processors.")
  var jobs: Int?

  @Option(
    help: """
      Write a new file with the answers that the tenant gives today, for users and apps that get different policies. \
      Each test is marked "unreviewed", and fails until somebody removes the mark. Never replaces a file.
      """, completion: .file())
  var record: String?

  @Flag(
    name: .customLong("coverage"),
    help: """
      Also list the settings that no test proves: with other values of theirs, tests that passed are run again until one \
      fails. Takes about as long as the tests for each such setting and value. The exit code does not change.
      """)
  var measuresCoverage = false

  @Flag(
    name: .customLong("allow-unreviewed"),
    help: "Let tests pass that say \"unreviewed\".")
  var allowsUnreviewed = false

  @Flag(
    name: .customLong("trust-parents"),
    help: "Do not check the owners and modes of the folders above the folder for temporary files.")
  var trustsParents = false

  func validate() throws {
    if let jobs, !(1...TestPool.mostThreads).contains(jobs) {
      throw ValidationError("--jobs must be a number from 1 to \(TestPool.mostThreads)")
    }
    if record != nil, !file.isEmpty || filter != nil || measuresCoverage {
      throw ValidationError("--record writes a new file and runs no tests; name no other files, --filter or --coverage")
    }
  }

  func run() throws {
    Mambridge.prepareProcess()
    let pool = TestPool()
    let interruption = Interruption {
      pool.stop()
    } whenSlow: {
      pool.abandon()
    }
    interruption.arm()
    let code = reportingFailure { try record.map { try recordTests(in: $0, pool) } ?? runTests(pool) }
    // At once, because a test that was abandoned may still run.
    if let signal = interruption.exitCode { _exit(signal) }
    throw ExitCode(code)
  }

  private func runTests(_ pool: TestPool) throws -> Int32 {
    let plan = try TestPlan(files: file, tenant: tenant, filter: filter)
    let folder = try ThrowawayFolder(for: .test, trustsParents: trustsParents)
    defer { folder.remove() }
    let runner = runner(in: folder, pool)
    guard let outcomes = runner.outcomes(of: plan) else { return EXIT_FAILURE }
    var report = TestReport(outcomes: outcomes)
    if measuresCoverage {
      guard let coverage = try CoverageRun(runner: runner).report(on: plan, outcomes) else { return EXIT_FAILURE }
      report.coverage = coverage
    }
    try printResult(report.text(format))
    if outcomes.contains(where: { $0.verdict == .broken }) { return 2 }
    return outcomes.contains { $0.verdict == .failed } ? 1 : 0
  }

  private func recordTests(in path: String, _ pool: TestPool) throws -> Int32 {
    let file = try RecordedFile(path)
    let folder = try ThrowawayFolder(for: .test, trustsParents: trustsParents)
    defer { folder.remove() }
    let tenant = try TestPlan.folder(self.tenant ?? TestPlan.tenant(beside: path))
    guard let found = try TestRecorder(runner: runner(in: folder, pool), tenant: tenant).record() else {
      return EXIT_FAILURE
    }
    try file.write(found.text)
    printError("mambridge: \(path.shown) has \(found.count) tests; each fails until its line \"unreviewed\" is removed")
    return EXIT_SUCCESS
  }

  private func runner(in folder: ThrowawayFolder, _ pool: TestPool) -> TestRunner {
    TestRunner(
      folder: folder.path, trustsParents: trustsParents, allowsUnreviewed: allowsUnreviewed,
      threads: jobs ?? TestPool.usualThreads, pool: pool)
  }
}

extension TestReport.Format: ExpressibleByArgument {}
