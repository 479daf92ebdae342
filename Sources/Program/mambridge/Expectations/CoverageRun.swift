import Glibc
import Model
import Policy
import Support
import Tenancy
import Vault

/// Asks of each setting whether a test notices that it changed: with another value in a copy of the tenant, the tests run
/// again until an expectation is not met.
struct CoverageRun: Sendable {
  let runner: TestRunner

  /// A tenant of the plan, and those of its tests that passed.
  private struct Subject: Sendable {
    let folder: String
    /// What reports call the folder.
    let name: String
    let variations: TenantVariations
    let tests: [(item: TestPlan.Item, policies: Set<String>?)]
  }

  private struct Job: Sendable {
    let subject: Subject
    let setting: PlacedSetting
    let items: [TestPlan.Item]
  }

  /// `nil` if the run was stopped. Throws if a tenant cannot be copied or read.
  func report(on plan: TestPlan, _ outcomes: [TestOutcome]) throws -> CoverageReport? {
    let subjects = try subjects(of: plan, outcomes)
    let jobs = subjects.flatMap { subject in subject.variations.settings.map { job(subject, $0) } }
    let results = runner.pool.results(of: jobs.count, on: runner.threads) { number in
      result(of: jobs[number], number)
    }
    return results.map { results in
      CoverageReport(
        settings: results, informingCount: subjects.reduce(0) { $0 + $1.variations.informingCount },
        unusedTests: outcomes.count { $0.verdict != .passed })
    }
  }

  private func subjects(of plan: TestPlan, _ outcomes: [TestOutcome]) throws -> [Subject] {
    let passed = zip(plan.entries, outcomes).compactMap { entry, outcome -> TestPlan.Item? in
      guard case .test(let item) = entry, outcome.verdict == .passed else { return nil }
      return item
    }
    var names: [String?] = []
    for case .test(let item) in plan.entries where !names.contains(item.tenant) { names.append(item.tenant) }
    return try names.enumerated().map { number, tenant in
      let folder = try TestTenantFolder(of: tenant, in: "\(runner.folder)/tenant-\(number)").path
      let variations: TenantVariations
      do throws(TenantError) { variations = try TenantVariations(folder: folder) } catch {
        throw CommandFailure(exitCode: 78, message: error.description)
      }
      let tests = passed.filter { $0.tenant == tenant }.map { item in (item, item.test.policies(in: variations)) }
      return Subject(
        folder: folder, name: tenant?.shortPath ?? TenantLocation.sampleName, variations: variations, tests: tests)
    }
  }

  /// The tests that the setting can turn, first those that name it.
  private func job(_ subject: Subject, _ setting: PlacedSetting) -> Job {
    let items = subject.tests.filter { $0.policies?.contains(setting.policy) ?? true }.map(\.item)
    let name = setting.name.rawValue
    return Job(
      subject: subject, setting: setting,
      items: items.filter { $0.test.names(name) } + items.filter { !$0.test.names(name) })
  }

  private func result(of job: Job, _ number: Int) -> CoverageReport.Setting {
    let setting = job.setting
    func ended(_ finding: CoverageReport.Finding) -> CoverageReport.Setting {
      CoverageReport.Setting(
        name: setting.name.rawValue, policy: setting.policyName, file: "\(job.subject.name)/\(setting.file)",
        line: setting.line, finding: finding)
    }
    guard !job.items.isEmpty else { return ended(.noTest) }
    var (tried, faults): ([String], [String]) = ([], [])
    for (index, value) in setting.variations.enumerated() where !runner.pool.isStopped {
      do {
        let text = try job.subject.variations.text(changing: setting, to: value)
        if try isNoticed(job, text, "\(number)-\(index)") { return ended(.covered) }
        tried.append(setting.text(of: value))
      } catch {
        faults.append((error as? CommandFailure)?.message ?? (error as? TenantError)?.description ?? "\(error)")
      }
    }
    return ended(tried.isEmpty ? .notTried(faults.first ?? "no other value is known") : .notNoticed(tried))
  }

  /// Whether an expectation is not met with this text of the policy's file.
  private func isNoticed(_ job: Job, _ text: [UInt8], _ name: String) throws -> Bool {
    let folder = "\(runner.folder)/change-\(name)"
    defer { try? Folder.remove(folder) }
    let tenant = try TestTenantFolder(copying: job.subject.folder, to: folder)
    try tenant.put(text, in: job.setting.file)
    var fault: String?
    for (index, item) in job.items.enumerated() where !runner.pool.isStopped {
      let changed = TestPlan.Item(file: item.file, test: item.test, tenant: folder)
      let outcome = runner.outcome(of: changed, in: "\(name)-\(index)")
      if outcome.verdict == .failed { return true }
      if outcome.verdict == .broken { fault = outcome.report.first ?? "a test could not run" }
    }
    if let fault { throw CommandFailure(exitCode: 2, message: fault) }
    return false
  }
}

extension ExpectedTest {
  /// The policies of the users whom the test enrolls; `nil` if the test changes the tenant, and so may get any.
  fileprivate func policies(in tenant: TenantVariations) -> Set<String>? {
    var (app, platforms) = (CoreArguments.defaultAppId, Set<DevicePlatform>([.ios]))
    var accounts: [(user: String, app: String)] = []
    for step in steps {
      switch step.action {
      case .tenant: return nil
      case .actAs(let actor):
        app = actor.app ?? app
        if let platform = actor.platform.flatMap(DevicePlatform.init(rawValue:)) { platforms.insert(platform) }
        accounts.append((actor.user, app))
      case .device(let properties):
        // It may also say how the device is managed, on which a filter may depend.
        if properties.contains(where: { $0.hasPrefix("platform") || $0.hasPrefix("management") }) { return nil }
      case .call(let method, _, _, _):
        // May enroll others, or replace policies.
        if method.hasPrefix("enrollmentManager.") || method.hasPrefix("debug.") { return nil }
      default: break
      }
    }
    return accounts.reduce(into: []) { ids, account in
      ids.formUnion(tenant.policies(of: AccountReference(account.user), in: account.app, on: platforms))
    }
  }

  /// Whether a `because` of the test has the setting.
  fileprivate func names(_ setting: String) -> Bool {
    steps.contains { step in
      if case .call(_, _, _, let because?) = step.action { because.contains(setting) } else { false }
    }
  }
}
