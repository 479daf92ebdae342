import ArgumentParser
import Configurator
import Glibc
import JSON

struct Configure: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "configure",
    abstract: "Make the Info.plist of an iOS app, or of its extension, fit for the Intune App SDK.",
    discussion: """
      Adds what is missing, changes nothing else, and writes a comment beside each edit; a second run finds nothing to \
      do. Run it again when Info.plist or entitlements have changed. The edits:

        CFBundleURLSchemes           a copy of each, ending in -intunemam
        LSItemContentTypes           a copy of each, after com.microsoft.intune.mam.
        IntuneMAMSettings            AppGroupIdentifiers, from the entitlements
        LSApplicationQueriesSchemes  a copy of each, and what guides list since 2024;
                                     ms-outlook-intunemam where mailto is there;
                                     not more than the 50 that iOS takes
        NSExtensionActivationRule    a copy of each type, as a predicate

      An activation rule in dictionary form becomes a predicate; that of an extension with OpenInActionExtension is \
      written for the document types of --app.

      The edits are made in the text, whose order, comments and white space stay. The file is replaced at once: killed \
      at any point, it is the old one or the new one, and one that does not parse is not touched. A binary Info.plist \
      can be checked, but not edited: edit that of the project.

      --check tells what is missing, and what only you can do: keychain groups, NSFaceIDUsageDescription, \
      ContainingAppBundleId. Exit codes: 0 done, or nothing is missing; 1 something is missing, or a file cannot be \
      read or written; 64 wrong command line.

        mambridge configure -i App/Info.plist -e App/App.entitlements --dry-run
        mambridge configure -i Open/Info.plist -e Open/Open.entitlements \\
          --app App/Info.plist

      IntuneMAMConfigurator's -generateOpenInIcons has no meaning here: it draws icons from a built app, on a Mac.
      """)

  @OptionGroup var files: ConfigureFiles

  @Flag(help: "Print the differences as a patch, and write nothing.")
  var dryRun = false

  @Flag(help: "Only tell what is missing, one line each; exit code 1 when something is.")
  var check = false

  @Flag(help: "With --check: one JSON object, with complete and findings (kind, file, key, text).")
  var json = false

  @Flag(
    help: """
      Also move the main storyboard and nib into IntuneMAMSettings, as guides before 2020 asked. SDKs since then do \
      not look for them there.
      """)
  var moveMainInterface = false

  func validate() throws {
    guard !(dryRun && check) else { throw ValidationError("--dry-run and --check exclude each other.") }
    guard !check || files.output == nil else { throw ValidationError("--check writes nothing: leave out --output.") }
    guard !json || check else { throw ValidationError("--json goes with --check.") }
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
    try printResult(json ? report.json.jsonText + "\n" : report.text)
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

/// What `configure --check` tells, in words or as JSON.
struct ConfigureReport {
  let findings: [Finding]

  /// A hint is no gap.
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

/// The files that are read and written. None may be missing, but what has no meaning here is told first.
struct ConfigureFiles: ParsableArguments {
  @Option(name: [.customShort("i"), .long], help: "The Info.plist.", completion: .file())
  var input: String?

  @Option(name: [.customShort("e"), .long], help: "The entitlements, which are only read.", completion: .file())
  var entitlements: String?

  @Option(
    name: [.customShort("o"), .long], help: "Where to write; the Info.plist itself otherwise.", completion: .file())
  var output: String?

  @Option(help: "Of an extension: the Info.plist of its app, which is only read.", completion: .file())
  var app: String?

  @Option(name: .customLong("generateOpenInIcons", withSingleDash: true), help: .hidden)
  var openInIcons: String?

  func validate() throws {
    guard openInIcons == nil else {
      throw ValidationError(
        "-generateOpenInIcons has no meaning here: it draws icons from a built app, on a Mac."
      )
    }
    guard input != nil else { throw ValidationError("Name the Info.plist: -i PATH.") }
    guard entitlements != nil else { throw ValidationError("Name the entitlements: -e PATH.") }
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
