import Glibc
import Support

/// Opens pages in the user's browser.
enum Browser {
  /// How long to watch whether the browser starts.
  private static let patience = Duration.seconds(5)

  /// Starts the first program of $BROWSER that can be started, or else xdg-open. Reports on stderr if that fails.
  static func open(_ address: String) {
    for words in commands(for: address) {
      guard let process = start(words) else { continue }
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

  /// In a group of its own, so that Ctrl-C does not end it, and without the streams of this process.
  private static func start(_ words: [String]) -> pid_t? {
    var attributes = SpawnAttributes.usualSignals(leadingGroup: true)
    defer { posix_spawnattr_destroy(&attributes) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    return posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ) == 0 ? process : nil
  }

  private static func report(_ process: pid_t, _ program: String) {
    var status: Int32 = 0
    guard waitpid(process, &status, WNOHANG) == process, status != 0 else { return }
    note("\(program) could not open a browser")
  }

  private static func note(_ text: String) { printError("mambridge: \(text). Open the printed address yourself.") }
}
