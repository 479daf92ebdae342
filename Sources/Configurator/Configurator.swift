import PropertyList

/// The edits that make an Info.plist fit for the Intune App SDK. What is there already is left as it is: a second run
/// changes nothing.
package struct Configurator: Sendable {
  /// Whether the main storyboard and nib go into IntuneMAMSettings, as SDKs before 2020 wanted it. Later ones do not
  /// look for them there.
  package var movesMainInterface = false

  package init() {}

  package func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    var changes = movesMainInterface ? MainInterface.changes(of: bundle) : []
    changes += try URLSchemes.changes(of: bundle)
    changes += try DocumentTypes.changes(of: bundle)
    changes += try AppGroups.changes(of: bundle)
    changes += try ActivationRule.changes(of: bundle)
    changes += try QuerySchemes.changes(of: bundle)
    return changes
  }

  /// The text with these changes.
  package func text(of file: PropertyListFile, with changes: [Change]) throws(ConfiguratorError) -> [UInt8] {
    var text = try file.text()
    do throws(PropertyListError) {
      for change in changes { try change.apply(to: &text) }
    } catch {
      throw ConfiguratorError(.malformed(error), path: file.path)
    }
    return text.bytes
  }
}
