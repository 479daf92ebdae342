import ArgumentParser
import Glibc
import MAM
import Support
import Tenancy
import Vault

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

  @Flag(
    name: .customLong("trust-parents"),
    help: "Do not check the owners and modes of the folders above the folder for temporary files.")
  var trustsParents = false

  func run() throws {
    Mambridge.prepareProcess()
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(reportingFailure { try runTests() })
  }

  private func runTests() throws -> Int32 {
    let folder = try ThrowawayFolder(for: .test, trustsParents: trustsParents)
    defer { folder.remove() }
    var outcomes: [TestOutcome] = []
    for path in try file.isEmpty ? Self.files(of: tenant) : file {
      outcomes += try self.outcomes(of: path, in: folder)
    }
    guard !outcomes.isEmpty else {
      let message = filter.map { "no test has \"\($0.shown)\" in its name" } ?? "the files have no tests"
      throw CommandFailure(exitCode: 2, message: message)
    }
    try printResult(TestReport(outcomes: outcomes).text(format))
    if outcomes.contains(where: { $0.verdict == .broken }) { return 2 }
    return outcomes.contains { $0.verdict == .failed } ? 1 : 0
  }

  /// A file that cannot be read is an outcome, so that the other files are run.
  private func outcomes(of path: String, in folder: ThrowawayFolder) throws -> [TestOutcome] {
    func broken(_ message: String, at place: ExpectationPlace = ExpectationPlace(line: 1, column: 1)) -> [TestOutcome] {
      [TestOutcome(file: path, name: path, place: place, verdict: .broken, report: [message])]
    }
    let tests: [ExpectedTest]
    do {
      tests = try ExpectationParser.script(FileContents.read(path.absolutePath), path: path).tests
    } catch let error as ExpectationError {
      return broken(error.message, at: error.place)
    } catch {
      return broken("cannot read the file: \((error as? SystemError)?.text ?? "\(error)")")
    }
    let tenant = try Self.tenant(self.tenant ?? Self.tenant(beside: path))
    return tests.filter { filter.map($0.name.includes) ?? true }.map { test in
      let own = folder.path + "/test"
      defer { try? Folder.remove(own) }
      guard mkdir(own, 0o700) == 0 else {
        return broken("cannot create \(own.shown): \(SystemError.current.text)", at: test.place)[0]
      }
      let place = TestRun.Place(
        folder: own, tenant: tenant, trustsParents: trustsParents, files: path.absolutePath.parentFolder)
      return TestRun(test, in: place).outcome(in: path)
    }
  }

  /// The folder that a name of a tenant means; `nil` for the built-in tenant.
  private static func tenant(_ name: String) throws -> String? {
    guard case .folder(let path) = try TenantLocation(argument: name) else { return nil }
    return path
  }

  /// The folder with the tenant.json that is nearest to a file of tests.
  private static func tenant(beside path: String) throws -> String {
    let folder = path.absolutePath.parentFolder
    for candidate in [folder, folder.parentFolder] where access(candidate + "/tenant.json", R_OK) == 0 {
      return candidate
    }
    throw CommandFailure(
      exitCode: 78,
      message: "there is no tenant.json beside \(path.shown) or in the folder above. Name a tenant with --tenant")
  }

  /// The files with tests of a tenant, in order.
  private static func files(of tenant: String?) throws -> [String] {
    guard let tenant, let folder = try Self.tenant(tenant) else {
      throw CommandFailure(exitCode: 64, message: "name files with tests, or a folder that has some with --tenant")
    }
    let places: [String] = [folder, folder + "/tests"]
    let folders = places.filter { access($0, R_OK | X_OK) == 0 }
    let files = try folders.flatMap { folder in
      try TestTenantFolder.names(folder).filter { $0.hasSuffix(".mamtest") }.map { "\(folder)/\($0)" }
    }
    guard !files.isEmpty else {
      throw CommandFailure(
        exitCode: 2, message: "there are no *.mamtest files in \(folder.shown) or in its folder tests")
    }
    return files
  }
}

extension TestReport.Format: ExpressibleByArgument {}

extension String {
  /// The folder of an absolute path.
  fileprivate var parentFolder: String {
    let end = lastIndex(of: "/") ?? startIndex
    return end == startIndex ? "/" : String(self[..<end])
  }
}
