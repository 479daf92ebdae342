extension Configurator {
  /// Whatever is missing, in the order in which it is best done: edits, steps by hand, hints.
  package func check(_ bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    let edits = try changes(of: bundle).map { change in
      Finding(kind: .edit, path: bundle.info.path, key: change.path.description, text: change.detail)
    }
    return try edits + steps(of: bundle)
  }

  /// What no edit does.
  package func steps(of bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    var steps = try KeychainGroups.findings(of: bundle)
    steps += bundle.isExtension ? try ExtensionSteps.findings(of: bundle) : AppSteps.findings(of: bundle)
    return try steps + hints(of: bundle)
  }

  private func hints(of bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    var hints = try Hints.groups(of: bundle) + Hints.settings(of: bundle)
    if !bundle.isExtension { hints += try Hints.querySchemes(of: bundle) + Hints.scenes(of: bundle) }
    if !movesMainInterface { hints += Hints.mainInterface(of: bundle) }
    return hints
  }
}
