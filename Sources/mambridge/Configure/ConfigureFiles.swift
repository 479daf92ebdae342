import ArgumentParser
import Configurator

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
