import Glibc
import Model
import Support
import Tenancy

/// Writes tests with the answers that a tenant gives today: for the first user of each class of users who get the same,
/// in each app that the tenant names and in another one, on each platform.
struct TestRecorder: Sendable {
  /// More tests are only counted: nobody would review them.
  static let mostTests = 200
  private static let otherOfMicrosoft = "com.microsoft.example"

  let runner: TestRunner
  /// `nil` for the built-in tenant.
  let tenant: String?

  /// The text of the file and the number of its tests; `nil` if the run was stopped. Throws if the tenant cannot be read.
  func record() throws -> (text: String, count: Int)? {
    let subjects = try subjects()
    let chosen = Array(subjects.prefix(Self.mostTests))
    let results = runner.pool.results(of: chosen.count, on: runner.threads) { number in
      Result { try recording(of: chosen[number], in: "\(number)") }
    }
    guard let results else { return nil }
    let tests = try results.map { try $0.get() }
    let rest = subjects.count - chosen.count
    let more = rest == 0 ? [] : ["# \(rest) more pairs of a user and an app are not recorded."]
    let lines = Self.head + more + tests.flatMap { [""] + $0 }
    return (lines.map { $0 + "\n" }.joined(), tests.count)
  }

  private static let head = [
    "# What the tenant answers today. Whether that is right, nobody has said yet: read each test, correct what is wrong,",
    "# and remove its line \"unreviewed\". Until then the test fails.",
  ]

  private func subjects() throws -> [RecordedSubject] {
    let check: TenantCheck
    do throws(TenantError) {
      check = try TenantCheck(tenant.map { .folder($0) } ?? .sample)
    } catch {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
    guard let outcomes = check.outcomes(of: nil, in: nil, on: nil) else {
      let reason = check.findings.first?.line ?? "it cannot be read"
      throw CommandFailure(exitCode: 78, message: "nothing was recorded: \(reason)")
    }
    return outcomes.summaries(atMost: TenantReport.mostClasses).flatMap { Self.subjects(of: $0) }
  }

  private static func subjects(of summary: ClassSummary) -> [RecordedSubject] {
    guard let user = summary.users.names.first else { return [] }
    var subjects: [RecordedSubject] = []
    for row in summary.rows {
      // The apps of a row get the same policies, and going offline for long takes most of the time.
      var offline: Set<DevicePlatform> = []
      for app in row.apps.map({ name(of: $0) }) {
        for platform in row.devices.map(\.platform)
        where !subjects.contains(where: { $0.app == app && $0.platform == platform }) {
          subjects.append(
            RecordedSubject(
              user: user, count: summary.users.count, app: app, platform: platform,
              goesOffline: offline.insert(platform).inserted))
        }
      }
    }
    return subjects
  }

  private static func name(of app: TenantShare.App) -> String {
    switch app {
    case .named(let name): name
    case .otherOfMicrosoft: otherOfMicrosoft
    case .other: CoreArguments.defaultAppId
    }
  }

  private func recording(of subject: RecordedSubject, in name: String) throws -> [String] {
    try runner.withFolder(name) { folder in
      let tenant = try TestTenantFolder(of: tenant, in: folder + "/tenant").path
      let place = TestRun.Place(
        folder: folder, tenant: tenant, trustsParents: runner.trustsParents, files: folder)
      let time = Timestamp(ExpectedTest.defaultTime) ?? Timestamp(milliseconds: 0)
      let apps = TestApps(in: place, tenant: tenant, at: time)
      defer { apps.end() }
      return try subject.lines(apps)
    }
  }
}
