import MAM
import Model
import Policy

/// Looks for changes of a policy after which a question has another answer.
///
/// First each setting is tried alone, and then, if no setting is enough, pairs of settings. Only settings that had a part
/// in some answer are paired. The work is bounded. A search that is not cut off finds the same changes each time.
struct ChangeSearch {
  /// One setting with another value; `nil` for a setting that is not set.
  struct Step: Hashable, Sendable {
    let setting: SettingName
    let from: SettingValue?
    let to: SettingValue?
  }

  /// Steps that together turn the answer, and the answer afterwards.
  struct Change: Sendable {
    let steps: [Step]
    let answer: AttemptedAnswer
  }

  typealias Attempt = (AssumedSettings) async throws(MAMError) -> AttemptedAnswer

  /// How many answers are computed at most: every single value, and then as many pairs as there is room for.
  static let mostAttempts = 3000
  /// How many changes are returned at most.
  static let mostChanges = 32

  private let baseline: AttemptedAnswer
  private let policy: EffectivePolicy?
  private let platform: DevicePlatform
  private let settings: [SettingDefinition]
  private let attempt: Attempt
  private let deadline: ContinuousClock.Instant
  private var attempts = 0
  /// Whether the time was up before the search was over.
  private(set) var isCutOff = false
  private var relevant: Set<SettingName>
  private(set) var changes: [Change] = []

  /// `baseline` is the answer by `policy`, which is `nil` for an account without a policy. The search is cut off at
  /// `deadline`.
  init(
    from baseline: AttemptedAnswer, _ policy: EffectivePolicy?, on platform: DevicePlatform,
    until deadline: ContinuousClock.Instant, attempt: @escaping Attempt
  ) {
    self.baseline = baseline
    self.deadline = deadline
    self.policy = policy
    self.attempt = attempt
    relevant = Set(baseline.settings)
    let decisive = baseline.settings.map(\.definition)
    let others = SettingDefinition.all.filter { $0.role.decides && !baseline.settings.contains($0.name) }
    let platform = policy?.platform ?? platform
    self.platform = platform
    settings = (decisive + others).filter { $0.kinds.contains(platform.policyKind) }
  }

  /// Throws when the task is cancelled.
  mutating func run() async throws(MAMError) {
    for definition in settings { try await tryAlone(definition) }
    guard changes.isEmpty else { return }
    let paired = settings.filter { relevant.contains($0.name) }
    for (place, first) in paired.enumerated() {
      for second in paired.dropFirst(place + 1) { try await tryTogether(first, second) }
    }
  }

  private var isOver: Bool { isCutOff || attempts >= Self.mostAttempts || changes.count >= Self.mostChanges }

  private mutating func tryAlone(_ definition: SettingDefinition) async throws(MAMError) {
    let count = changes.count
    let current = policy?.value(of: definition.name)
    let start = current ?? definition.alternatives(to: nil, on: platform).first
    for value in definition.alternatives(to: current, on: platform) {
      guard var change = try await turning([step(definition, to: value)]) else { continue }
      if let bound = value.integerValue { change = try await nearest(to: start?.integerValue ?? bound, bound, change) }
      changes.append(change)
    }
    guard changes.count == count, current != nil else { return }
    if let change = try await turning([step(definition, to: nil)]) { changes.append(change) }
  }

  private mutating func tryTogether(_ first: SettingDefinition, _ second: SettingDefinition) async throws(MAMError) {
    for one in steps(of: first) {
      for other in steps(of: second) {
        if let change = try await turning([one, other]) { changes.append(change) }
      }
    }
  }

  private func steps(of definition: SettingDefinition) -> [Step] {
    let current = policy?.value(of: definition.name)
    let others = definition.alternatives(to: current, on: platform).map { step(definition, to: $0) }
    return others + (current == nil ? [] : [step(definition, to: nil)])
  }

  private func step(_ definition: SettingDefinition, to value: SettingValue?) -> Step {
    Step(setting: definition.name, from: policy?.value(of: definition.name), to: value)
  }

  /// The change if these steps turn the answer. An answer that fails under an assumption is no answer.
  private mutating func turning(_ steps: [Step]) async throws(MAMError) -> Change? {
    guard !isOver else { return nil }
    isCutOff = ContinuousClock.now >= deadline
    guard !isCutOff else { return nil }
    guard !Task.isCancelled else { throw .cancelled }
    await Task.yield()
    attempts += 1
    let assumed = AssumedSettings(Dictionary(steps.map { ($0.setting, $0.to) }) { first, _ in first })
    guard let answer = try? await attempt(assumed) else { return nil }
    relevant.formUnion(answer.settings)
    if answer.grounds != baseline.grounds { relevant.formUnion(steps.map(\.setting)) }
    return answer.essence == baseline.essence ? nil : Change(steps: steps, answer: answer)
  }

  /// The number closest to `start` that turns the answer as `bound` does.
  private mutating func nearest(to start: Int64, _ bound: Int64, _ change: Change) async throws(MAMError) -> Change {
    var (near, found) = (start, (bound, change))
    while abs(found.0 - near) > 1 {
      let middle = near + (found.0 - near) / 2
      let steps = found.1.steps.map { Step(setting: $0.setting, from: $0.from, to: .integer(middle)) }
      if let change = try await turning(steps) { found = (middle, change) } else { near = middle }
    }
    return found.1
  }
}
