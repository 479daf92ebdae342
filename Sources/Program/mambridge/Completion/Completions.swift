import ArgumentParser
import Glibc
import Support

struct Completions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a script that completes command lines of mambridge with the Tab key.",
    discussion: """
      Completes commands, options and their values, files and folders, and for call and explain also methods, parameters \
      and the values of parameters. The script asks mambridge itself what may come next, so it stays right when you \
      install another version.

      Examples:

        # For bash; works with the package bash-completion
        mkdir -p ~/.local/share/bash-completion/completions
        mambridge completions bash \\
          >~/.local/share/bash-completion/completions/mambridge

        # For zsh; add ~/.zfunc to fpath before compinit
        mkdir -p ~/.zfunc
        mambridge completions zsh >~/.zfunc/_mambridge

        # For fish
        mkdir -p ~/.config/fish/completions
        mambridge completions fish >~/.config/fish/completions/mambridge.fish

        # For this bash alone
        source <(mambridge completions bash)
      """)

  private static let shells = ["bash", "zsh", "fish"]

  @Argument(help: "The shell: bash, zsh or fish.", completion: .list(shells))
  var shell: String

  func validate() throws {
    guard Self.shells.contains(shell) else {
      throw ValidationError("There is no script for \"\(shell.shown)\": use bash, zsh or fish.")
    }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    throw ExitCode(
      reportingFailure {
        try printResult(builtInText("completions/mambridge.\(shell)"))
        return EXIT_SUCCESS
      })
  }
}
