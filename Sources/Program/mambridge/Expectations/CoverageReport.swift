import JSON

/// Which settings of a tenant's policies the tests prove.
struct CoverageReport: Sendable {
  enum Finding: Hashable, Sendable {
    case covered
    /// No expectation turns with any of these values.
    case notNoticed([String])
    /// No test enrolls a user who gets the policy.
    case noTest
    /// Why nobody knows.
    case notTried(String)
  }

  struct Setting: Sendable {
    let name: String
    /// The name of the policy.
    let policy: String
    let file: String
    /// `nil` if it is not known.
    let line: Int?
    let finding: Finding

    var place: String { line.map { "\(file):\($0)" } ?? file }

    /// Why the setting is not covered; `nil` if it is.
    var gap: String? {
      switch finding {
      case .covered: nil
      case .notNoticed(let values): "no test fails if it is \(values.listed)"
      case .noTest: "no test that passes enrolls a user who gets the policy \"\(policy)\""
      case .notTried(let reason): "not tried: \(reason)"
      }
    }
  }

  let settings: [Setting]
  /// How many settings decide nothing, so that no test could notice them.
  let informingCount: Int
  /// The tests that did not pass, and so prove nothing.
  let unusedTests: Int

  /// By file and line.
  var gaps: [Setting] {
    settings.filter { $0.finding != .covered }.sorted {
      ($0.file, $0.line ?? 0, $0.name) < ($1.file, $1.line ?? 0, $1.name)
    }
  }

  var summary: String {
    let head = "coverage: a test notices a change of \(settings.count - gaps.count) of \(settings.count) settings"
    let parts = [
      informingCount == 0 ? nil : "\(informingCount) that decide nothing are not counted",
      unusedTests == 0 ? nil : "\(unusedTests) tests that did not pass were not used",
    ].compactMap(\.self)
    return ([head] + parts).joined(separator: "; ")
  }

  /// The gaps, then the summary.
  var lines: [String] { gaps.map { "\($0.place.shown): \($0.name): \(($0.gap ?? "").shown)" } + [summary] }
}

extension [String] {
  /// The values as a clause, the first of them if they are many.
  fileprivate var listed: String {
    let most = 6
    guard count > 1 else { return first ?? "" }
    if count > most { return prefix(most).joined(separator: ", ") + " or one of \(count - most) other values" }
    return dropLast().joined(separator: ", ") + " or " + self[count - 1]
  }
}
