/// What an app with shared windows should show. Ann needs system 13; Bob needs 15, and is wiped below 11; Cid must be
/// clocked in, and enters a PIN once in half an hour. Eve has no policy.
struct WindowModel {
  /// What the user and the host answer in one step.
  struct Answers {
    var entersPIN = true
    /// "success", "failed", or nothing.
    var block: String?
    var switching = "success"
  }

  struct Window: Equatable {
    var names: [String]?
    var isLocked = false

    mutating func hide(_ name: String) {
      guard let shown = names, shown.contains(name) else { return }
      names = shown.filter { $0 != name }
      if names == [], !isLocked { names = ["nobody"] }
    }
  }

  enum Launch: Equatable {
    case passes, wipes
    case blocks(String)
  }

  static let windows = ["w1", "w2", "w3"]
  static let managed = ["ann", "bob", "cid"]

  var enrolled = Set(managed)
  var system = 16
  var clockedOut: Set<String> = []
  var hasEnteredPIN = false
  var blocked: [String: String] = [:]
  /// The windows of each process.
  var processes: [[String: Window]]
  var answers = Answers()
  /// What the host is asked in this step.
  var asked: [String] = []

  init(processes count: Int) {
    let unset = Dictionary(uniqueKeysWithValues: Self.windows.map { ($0, Window()) })
    processes = Array(repeating: unset, count: count)
  }

  func window(_ name: String, _ process: Int) -> Window { processes[process][name] ?? Window() }

  /// A window of several accounts, one of them managed, is locked down, and so is one whose block failed.
  func isLockedDown(_ window: Window) -> Bool {
    let names = window.names ?? []
    return window.isLocked || names.count > 1 && names.contains(where: enrolled.contains)
  }

  private mutating func launch(_ name: String) -> Launch {
    guard enrolled.contains(name) else { return .passes }
    switch name {
    case "bob" where system < 11:
      leave(name)
      return .wipes
    case "ann" where system < 13, "bob" where system < 15: return .blocks("conditionalLaunchBlocked")
    case "cid" where clockedOut.contains(name): return .blocks("clockedOut")
    case "cid" where !hasEnteredPIN:
      asked.append("pin cid")
      guard answers.entersPIN else { return .blocks("conditionalLaunchCanceled") }
      hasEnteredPIN = true
    default: break
    }
    blocked[name] = nil
    return .passes
  }

  mutating func leave(_ name: String) {
    enrolled.remove(name)
    blocked[name] = nil
  }

  mutating func clock(out names: Set<String>) {
    clockedOut = names
    for (name, reason) in blocked where reason == "clockedOut" && !names.contains(name) { blocked[name] = nil }
  }

  mutating func show(_ names: [String], in window: String, _ process: Int) -> String {
    guard names.count > 1 else { return show(names.first ?? "nobody", in: window, process) }
    if let rest = round(names, in: window, process) {
      processes[process][window] = Window(names: rest.isEmpty ? ["nobody"] : rest)
    }
    return hasFailed ? "failed" : "success"
  }

  /// Whether the host did not hide an account in a window in the last round.
  private var hasFailed = false

  private mutating func show(_ name: String, in window: String, _ process: Int) -> String {
    switch launch(name) {
    case .passes: processes[process][window] = Window(names: [name])
    case .blocks("conditionalLaunchCanceled"): return "canceled"
    case .blocks, .wipes: return "failed"
    }
    return "success"
  }

  mutating func clear(_ window: String, _ process: Int) { processes[process][window] = Window() }

  mutating func bringToForeground(_ window: String, _ process: Int) {
    let shown = self.window(window, process)
    guard let names = shown.names else { return }
    if names.count > 1 || shown.isLocked {
      _ = round(names, in: window, process)
    } else if let name = names.first, launch(name) == .blocks("conditionalLaunchCanceled") {
      asked.append("switch \(window)")
      if answers.switching == "success" { processes[process][window] = Window(names: ["nobody"]) }
    }
  }

  /// The accounts that may be shown; `nil` if the host has not hidden one.
  private mutating func round(_ names: [String], in window: String, _ process: Int) -> [String]? {
    var rest: [String] = []
    hasFailed = false
    for name in names {
      switch launch(name) {
      case .passes: rest.append(name)
      case .wipes: for other in Self.windows { processes[process][other]?.hide(name) }
      case .blocks(let reason):
        blocked[name] = reason
        let others = Self.windows.filter { $0 != window && self.window($0, process).names?.contains(name) == true }
        let isHidden = hide(name, reason, in: window, process)
        for other in others { _ = hide(name, reason, in: other, process) }
        guard isHidden else { return nil }
      }
    }
    return rest
  }

  /// Whether the host's answer to a block was to show no user.
  private var hasSwitched: Bool { answers.block == nil && answers.switching == "success" }

  /// Whether the host hides the account in a window.
  private mutating func hide(_ name: String, _ reason: String, in window: String, _ process: Int) -> Bool {
    asked.append("block \(name) \(window) \(reason)")
    if answers.block == "success" {
      processes[process][window]?.hide(name)
      return true
    }
    if answers.block == nil { asked.append("switch \(window)") }
    if !hasSwitched { hasFailed = true }
    processes[process][window] =
      hasSwitched
      ? Window(names: ["nobody"]) : Window(names: self.window(window, process).names ?? [name], isLocked: true)
    return false
  }
}
