import PropertyList

/// Each URL scheme of the app gets a copy, by which managed apps call it.
enum URLSchemes {
  static func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    let paths = try bundle.info.paths(to: "CFBundleURLSchemes", inEachOf: ["CFBundleURLTypes"])
    var present: [String] = []
    for path in paths { present += try bundle.info.strings(at: path) }
    var changes: [Change] = []
    for path in paths {
      let schemes = try bundle.info.strings(at: path).filter { !$0.isEmpty && !IntuneNames.isIntuneScheme($0) }
      let missing = IntuneNames.missing(schemes.map(IntuneNames.copy(ofScheme:)), in: present)
      guard !missing.isEmpty else { continue }
      present += missing
      changes.append(
        Change(path: path, action: .append(missing), comment: "copies of the URL schemes, for managed apps"))
    }
    return changes
  }
}
