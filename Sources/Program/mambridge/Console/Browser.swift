import Support

/// Opens pages in the user's browser.
enum Browser {
  /// How long to watch whether the browser starts.
  private static let patience = Duration.seconds(5)

  /// Starts the first program of $BROWSER that can be started, or else xdg-open. Reports on stderr if that fails.
  static func open(_ address: String) {
    for words in commands(for: address) {
      // In a group of its own, so that Ctrl-C does not end it, and without the streams of this process.
      let started = ChildProcess.start(words, output: .nothing, errors: .nothing, leadsGroup: true)
      guard case .success(let process) = started else { continue }
      _ = Timers.shared.after(patience) { report(process, words[0]) }
      return
    }
    note("no browser can be started (xdg-open is missing, and BROWSER names none)")
  }

  /// $BROWSER lists commands with colons between them; %s stands for the address.
  private static func commands(for address: String) -> [[String]] {
    let listed = (environment("BROWSER") ?? "").split(separator: ":").compactMap { CommandWords(String($0))?.words }
    let named = listed.map { words in
      let placed = words.map { word in word == "%s" ? address : word }
      return placed == words ? words + [address] : placed
    }
    return named.isEmpty ? [["xdg-open", address]] : named
  }

  private static func report(_ process: ChildProcess, _ program: String) {
    guard case .status(let status)? = process.reap(), status != 0 else { return }
    note("\(program) could not open a browser")
  }

  private static func note(_ text: String) { printError("mambridge: \(text). Open the printed address yourself.") }
}
