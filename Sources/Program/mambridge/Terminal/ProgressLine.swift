import Glibc
import Support

/// Shows how far long work is, in one line on stderr that is drawn again as the work goes on. Shows nothing if stderr is
/// not a terminal, and nothing in the first half second.
final class ProgressLine: Sendable {
  private struct State {
    var start: ContinuousClock.Instant
    var hasEnded = false
    var drawn: ContinuousClock.Instant?
    var isShown = false
  }

  private static let patience = Duration.milliseconds(500)
  private static let interval = Duration.milliseconds(100)

  private let isOn: Bool
  private let state = Lock(State(start: .now))

  init(isOn: Bool = true) {
    self.isOn = isOn && isatty(STDERR_FILENO) == 1 && Terminal.obeysEscapes
  }

  /// Draws the line if it is time to. A new file or folder starts at 0 bytes.
  func show(_ work: WorkDone) {
    guard isOn else { return }
    state.withLock { state in
      guard !state.hasEnded else { return }
      let now = ContinuousClock.now
      if work.bytes == 0 { state.start = now }
      guard now - state.start >= Self.patience, state.drawn.map({ now - $0 >= Self.interval }) ?? true else { return }
      state.drawn = now
      state.isShown = true
      let width = Terminal.windowWidth(of: STDERR_FILENO) ?? Terminal.defaultWidth
      draw("\r" + Self.text(work, after: now - state.start, width: width - 1) + "\u{1B}[K")
    }
  }

  /// Removes the line, so that another can be printed in its place.
  func clear() { state.withLock { clear(&$0) } }

  /// Removes the line for good.
  func end() {
    state.withLock { state in
      clear(&state)
      state.hasEnded = true
    }
  }

  private func clear(_ state: inout State) {
    guard state.isShown else { return }
    state.isShown = false
    draw("\r\u{1B}[K")
  }

  private func draw(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  /// For example ` 42%  861 MiB of 2.0 GiB  170 MiB/s  7 s left`. Leaves out the amount first if `width` is too narrow,
  /// and then the rate.
  static func text(_ work: WorkDone, after time: Duration, width: Int = .max) -> String {
    let seconds = max(0.001, Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
    let rate = Double(work.bytes) / seconds
    let (amount, speed) = (ByteCount(work.bytes).text, "\(ByteCount(rate).text)/s")
    guard let total = work.total, total > 0 else { return joined([[amount, speed], [amount]], width) }
    let percentage = min(100, Int(Double(work.bytes) / Double(total) * 100))
    let percent = String(repeating: " ", count: percentage < 10 ? 2 : percentage < 100 ? 1 : 0) + "\(percentage)%"
    let left = rate > 0 ? ["\(Self.text(ofSeconds: Double(total - work.bytes) / rate)) left"] : []
    let all = [percent, "\(amount) of \(ByteCount(total).text)", speed] + left
    return joined([all, [percent, speed] + left, [percent] + left, [percent]], width)
  }

  /// The first choice that fits.
  private static func joined(_ choices: [[String]], _ width: Int) -> String {
    let lines = choices.map { $0.joined(separator: "  ") }
    return lines.first { $0.count <= width } ?? String((lines.last ?? "").prefix(max(1, width)))
  }

  /// For example `7 s`, `2 min 5 s` or `3 h 10 min`.
  static func text(ofSeconds seconds: Double) -> String {
    let whole = Int(min(max(0, seconds), 1e9).rounded(.up))
    switch whole {
    case ..<60: return "\(whole) s"
    case ..<3600: return "\(whole / 60) min \(whole % 60) s"
    default: return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
  }
}

/// A number of bytes for people: `999 bytes`, `1.5 MiB`.
struct ByteCount {
  let text: String

  init(_ count: some BinaryInteger) { self.init(Double(count)) }

  init(_ count: Double) {
    var (rest, unit) = (count, 0)
    let units = ["KiB", "MiB", "GiB", "TiB"]
    guard rest >= 1024 else {
      text = rest.rounded() == 1 ? "1 byte" : "\(Int(rest)) bytes"
      return
    }
    rest /= 1024
    while rest >= 1023.95, unit < units.count - 1 {
      rest /= 1024
      unit += 1
    }
    let tenths = Int((rest * 10).rounded())
    text = rest < 99.95 ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\(tenths / 10) \(units[unit])"
  }
}
