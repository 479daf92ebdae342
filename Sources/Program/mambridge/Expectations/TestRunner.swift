import Glibc
import Support
import Vault

/// Runs tests, each in a folder of its own.
struct TestRunner: Sendable {
  /// A private folder for the folders of the tests.
  let folder: String
  let trustsParents: Bool
  let allowsUnreviewed: Bool
  let threads: Int
  let pool: TestPool

  /// The outcomes in the order of the plan; `nil` if the run was stopped.
  func outcomes(of plan: TestPlan) -> [TestOutcome]? {
    pool.results(of: plan.entries.count, on: threads) { number in
      switch plan.entries[number] {
      case .broken(let outcome): outcome
      case .test(let item): outcome(of: item, in: "\(number)")
      }
    }
  }

  /// `name` is that of the test's folder, and free for as long as the test runs.
  func outcome(of item: TestPlan.Item, in name: String) -> TestOutcome {
    do {
      return try withFolder(name) { own in
        let place = TestRun.Place(
          folder: own, tenant: item.tenant, trustsParents: trustsParents, files: item.file.absolutePath.parentFolder,
          allowsUnreviewed: allowsUnreviewed)
        return TestRun(item.test, in: place).outcome(in: item.file)
      }
    } catch {
      let message = (error as? CommandFailure)?.message ?? "\(error)"
      return TestOutcome(
        file: item.file, name: item.test.name, place: item.test.place, verdict: .broken, report: [message])
    }
  }

  /// Makes a folder for the body, which is removed afterwards.
  func withFolder<Result>(_ name: String, _ body: (String) throws -> Result) throws -> Result {
    let own = folder + "/" + name
    defer { try? Folder.remove(own) }
    guard mkdir(own, 0o700) == 0 else {
      throw CommandFailure(exitCode: 1, message: "cannot create \(own.shown): \(SystemError.current.text)")
    }
    return try body(own)
  }
}
