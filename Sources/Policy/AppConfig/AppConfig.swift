import JSON
import Model

/// What the administrator configured for an account in an app, as it is delivered: tokens replaced, in order.
package struct AppConfig: Hashable, Sendable {
  package struct Source: Hashable, Sendable {
    package var policyID: String
    /// Whether it is the tenant's default, which counts for a key only when nothing targeted has it.
    package var isDefault: Bool
    /// A name stands once.
    package var entries: [KeyValuePair]
  }

  /// In the order of the policies' ids.
  package let sources: [Source]
  private let values: [String: [String]]
  private let conflicts: Set<String>

  /// Before enrollment, and where nothing is configured.
  package static let empty = AppConfig(sources: [])

  package init(sources: [Source]) {
    self.sources = sources.sorted { ($0.policyID, $0.isDefault ? 1 : 0) < ($1.policyID, $1.isDefault ? 1 : 0) }
    var targeted: [String: [String]] = [:]
    var fallback: [String: [String]] = [:]
    for source in self.sources {
      for entry in source.entries {
        if source.isDefault {
          fallback[entry.name, default: []].append(entry.value)
        } else {
          targeted[entry.name, default: []].append(entry.value)
        }
      }
    }
    values = targeted.merging(fallback) { targeted, _ in targeted }
    conflicts = Set(targeted.filter { _, values in values.contains { $0 != values.first } }.keys)
  }

  /// From what is targeted at a user. `mdm` is the configuration that the device's management delivers.
  package init(
    configurations: [ConfigurationDocument], defaults: [PolicyDocument], mdm: [String: String]?, tokens: ConfigTokens
  ) {
    var sources = configurations.map { Source($0.id, isDefault: false, $0.customSettings, tokens) }
    sources += defaults.map { Source($0.id, isDefault: true, $0.customSettings, tokens) }
    if let mdm {
      let entries = mdm.sorted { $0.key < $1.key }.map { KeyValuePair(name: $0.key, value: $0.value) }
      sources.append(Source(Self.mdmID, isDefault: false, entries, tokens))
    }
    self.init(sources: sources.filter { !$0.entries.isEmpty })
  }

  /// Stands for the id of a policy in what the device's management delivers.
  package static let mdmID = "mdm"

  package var isEmpty: Bool { sources.isEmpty }

  /// One object for each source; the default's carries `__IsDefault`.
  package var fullData: [JSONObject] {
    sources.map { source in
      var object = JSONObject(source.entries.map { ($0.name, .string($0.value)) })
      if source.isDefault { object["__IsDefault"] = true }
      return object
    }
  }

  /// Whether targeted values of the key differ.
  package func hasConflict(_ key: String) -> Bool { conflicts.contains(key) }

  /// All values of the key: the targeted ones, else the default's.
  package func strings(_ key: String) -> [String] { values[key] ?? [] }
}

extension AppConfig.Source {
  /// Of a name that stands twice the first counts.
  init(_ policyID: String, isDefault: Bool, _ pairs: [KeyValuePair], _ tokens: ConfigTokens) {
    var names: Set<String> = []
    let entries = pairs.filter { names.insert($0.name).inserted }.map { pair in
      KeyValuePair(name: pair.name, value: tokens.replacing(in: pair.value))
    }
    self.init(policyID: policyID, isDefault: isDefault, entries: entries)
  }
}
