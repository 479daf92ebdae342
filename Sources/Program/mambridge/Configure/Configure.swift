import ArgumentParser
import Configurator
import Glibc
import JSON
import Support

struct Configure: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "configure",
    abstract: "Prepare the Info.plist of an iOS app or extension for the Intune App SDK.",
    usage: "mambridge configure [<options>]",
    discussion: """
      Adds what is missing and changes nothing else. A comment beside each edit says what was added, and a second run \
      changes nothing. Run it again after you change Info.plist or the entitlements. The edits:

        CFBundleURLSchemes           a copy of each scheme, ending in -intunemam
        LSItemContentTypes           a copy of each type, starting with
                                     com.microsoft.intune.mam.
        IntuneMAMSettings            AppGroupIdentifiers, from the entitlements
        LSApplicationQueriesSchemes  a copy of each scheme, and the schemes that
                                     the SDK guides have listed since 2024;
                                     ms-outlook-intunemam if mailto is there;
                                     50 schemes at most, the limit of iOS
        NSExtensionActivationRule    a copy of each type, as a predicate

      An activation rule in dictionary form becomes a predicate. For an extension with OpenInActionExtension, the rule \
      accepts the document types of the app that --app names.

      The order, comments and white space of the file stay as they are. The file is replaced atomically: if the \
      command is killed, you have either the old file or the new one. A file that does not parse is not touched. A \
      binary Info.plist can be checked but not edited: edit the one in your project instead.

      --check reports what is missing, including what only you can add: keychain groups, NSFaceIDUsageDescription, \
      ContainingAppBundleId.

      IntuneMAMConfigurator's -generateOpenInIcons is not supported: it draws icons from a built app, on a Mac.

      Exit codes: 0 done, or nothing is missing; 1 something is missing, or a file cannot be read or written; 64 \
      invalid command line.

      Examples:

        # Show the edits of an app as a patch
        mambridge configure -i App/Info.plist -e App/App.entitlements --dry-run

        # Edit an extension
        mambridge configure -i Open/Info.plist -e Open/Open.entitlements \\
          --app App/Info.plist
      """)

  @OptionGroup var files: ConfigureFiles

  @Flag(help: "Print the edits as a patch, and write nothing.")
  var dryRun = false

  @Flag(help: "Only report what is missing, one line each. The exit code is 1 if anything is.")
  var check = false

  @Flag(help: "With --check: print one JSON object with complete and findings (kind, file, key, text).")
  var json = false

  @Flag(
    help: """
      Also move the main storyboard and nib into IntuneMAMSettings, as SDK guides before 2020 required. Later SDKs do \
      not look for them there.
      """)
  var moveMainInterface = false

  @OptionGroup var terminal: OutputOptions

  func validate() throws {
    guard !(dryRun && check) else { throw ValidationError("--dry-run and --check cannot be used together.") }
    guard !check || files.output == nil else { throw ValidationError("--check writes nothing: leave out --output.") }
    guard !json || check else { throw ValidationError("--json can only be used with --check.") }
  }

  func run() throws {
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    throw ExitCode(
      reportingFailure {
        let bundle = try files.bundle()
        return check ? try report(bundle) : try configure(bundle)
      })
  }

  private var configurator: Configurator {
    var configurator = Configurator()
    configurator.movesMainInterface = moveMainInterface
    return configurator
  }

  private func report(_ bundle: Bundle) throws -> Int32 {
    let report = ConfigureReport(findings: try configurator.check(bundle))
    if json { try terminal.print(report.json) } else { try printResult(report.text) }
    return report.isComplete ? EXIT_SUCCESS : EXIT_FAILURE
  }

  private func configure(_ bundle: Bundle) throws -> Int32 {
    let info = bundle.info
    let changes = try configurator.changes(of: bundle)
    let text = try configurator.text(of: info, with: changes)
    let target = files.output ?? info.path
    guard !dryRun else {
      try printResult(UnifiedDiff(from: info.bytes, to: text).text(from: info.path, to: target))
      return EXIT_SUCCESS
    }
    if files.output != nil || !changes.isEmpty { try replaceFile(target, with: text, modeOf: info.path) }
    let steps = try configurator.steps(of: bundle).filter { $0.kind == .manual }
    try printResult(changes.map { "edited: \(target): \($0.path): \($0.detail)\n" }.joined())
    try printResult(ConfigureReport(findings: steps).lines)
    return EXIT_SUCCESS
  }
}

/// The report of `configure --check`, as text or as JSON.
struct ConfigureReport {
  let findings: [Finding]

  /// Hints do not count as missing.
  var isComplete: Bool { findings.allSatisfy { $0.kind == .hint } }

  var text: String { (isComplete ? "nothing is missing\n" : "") + lines }

  var lines: String { findings.map { "\($0.label): \($0.path): \($0.key): \($0.text)\n" }.joined() }

  var json: JSONValue { ["complete": .bool(isComplete), "findings": .array(findings.map(\.json))] }
}

extension Finding {
  fileprivate var label: String {
    switch kind {
    case .edit: "missing"
    case .manual: "by hand"
    case .hint: "hint"
    }
  }

  fileprivate var json: JSONValue {
    ["kind": .string(kind.rawValue), "file": .string(path), "key": .string(key), "text": .string(text)]
  }
}

/// The files to read and write. Both required files are named by options, so that an unsupported option is reported
/// before a missing one.
struct ConfigureFiles: ParsableArguments {
  @Option(name: [.customShort("i"), .long], help: "The Info.plist to edit.", completion: .file())
  var input: String?

  @Option(name: [.customShort("e"), .long], help: "The entitlements; only read.", completion: .file())
  var entitlements: String?

  @Option(
    name: [.customShort("o"), .long], help: "Where to write the result (default: the Info.plist itself).",
    completion: .file())
  var output: String?

  @Option(help: "For an extension: the Info.plist of its app; only read.", completion: .file())
  var app: String?

  @Option(name: .customLong("generateOpenInIcons", withSingleDash: true), help: .hidden)
  var openInIcons: String?

  func validate() throws {
    guard openInIcons == nil else {
      throw ValidationError(
        "-generateOpenInIcons is not supported: it draws icons from a built app, on a Mac."
      )
    }
    guard input != nil else { throw ValidationError("Name the Info.plist with -i PATH.") }
    guard entitlements != nil else { throw ValidationError("Name the entitlements with -e PATH.") }
  }

  func bundle() throws(ConfiguratorError) -> Bundle {
    Bundle(
      info: try PropertyListFile(path: input ?? ""), entitlements: try PropertyListFile(path: entitlements ?? ""),
      app: try appFile())
  }

  private func appFile() throws(ConfiguratorError) -> PropertyListFile? {
    guard let app else { return nil }
    return try PropertyListFile(path: app)
  }
}
