/// When a PIN is asked for, as the documents say it: if the account was not used for the policy's time, and the PIN was
/// not entered within that time either. Minutes and seconds are enough.
struct UseModel {
  struct Process {
    var windows: Set<String> = []
    /// Whether the host has ever reported a window.
    var isTold = false
    /// Whether the account was let in while a window is in the foreground.
    var isShown = false

    var isInUse: Bool { !isTold || !windows.isEmpty }
  }

  /// In seconds.
  let period: Int
  var now = 0
  var usedAt: Int?
  var enteredAt: Int?
  var processes: [Process]

  init(period: Int, processes: Int) {
    self.period = period
    self.processes = Array(repeating: Process(), count: processes)
  }

  private func isDue(_ isShown: Bool) -> Bool { usedAt.map { !isShown && $0 + period <= now } ?? true }

  private var hasEntered: Bool { enteredAt.map { now < $0 + max(period, 60) } ?? false }

  func asks(_ process: Int) -> Bool { isDue(processes[process].isShown) && !hasEntered }

  /// Returns whether the account is let in.
  mutating func evaluate(_ process: Int) -> Bool {
    guard !asks(process) else { return false }
    guard processes[process].isInUse else { return true }
    if isDue(processes[process].isShown), period < 60 { enteredAt = nil }
    usedAt = now
    processes[process].isShown = !processes[process].windows.isEmpty
    return true
  }

  mutating func bringToForeground(_ window: String, _ process: Int) -> Bool {
    processes[process].isTold = true
    processes[process].windows.remove(window)
    if processes[process].windows.isEmpty { processes[process].isShown = false }
    processes[process].windows.insert(window)
    return evaluate(process)
  }

  mutating func sendToBackground(_ window: String, _ process: Int) {
    processes[process].isTold = true
    processes[process].windows.remove(window)
    guard processes[process].windows.isEmpty else { return }
    if !isDue(processes[process].isShown) { usedAt = now }
    processes[process].isShown = false
  }

  mutating func restart(_ process: Int) { processes[process] = Process() }
}
