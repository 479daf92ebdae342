import JSON
import PropertyList

/// What an extension is offered for: Intune's types too.
enum ActivationRule {
  /// What keeps a rule from being extended; nil when nothing does.
  enum Obstacle: Equatable {
    case unknownKeys([String])
    case noKind
    case noType
    /// Of an open-in extension: the app's document types are not known.
    case noDocumentTypes
  }

  static func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    for depth in 1..<PropertyListPath.activationRule.steps.count {
      _ = try bundle.info.dictionary(at: PropertyListPath(Array(PropertyListPath.activationRule.steps.prefix(depth))))
    }
    let rule = bundle.info.root.value(at: .activationRule)
    if bundle.isOpenInExtension {
      let types = try bundle.documentTypes()
      guard !types.isEmpty, !ActivationPredicate.openIn(rule?.stringValue, names: types) else { return [] }
      let comment = "one document of a managed app, of the types that the app opens"
      return [change(.set(.string(ActivationPredicate.openIn(types))), comment)]
    }
    if let dictionary = rule?.objectValue, let kinds = try? ActivationDictionary(dictionary) {
      let comment = "the rule as a predicate, with Intune's copies of its types"
      return [change(.set(.string(PredicateText(kinds.predicate).extended)), comment)]
    }
    guard let text = rule?.stringValue, let raw = bundle.info.rawText(at: .activationRule) else { return [] }
    guard let action = extending(PredicateText(text), writtenAs: PredicateText(raw)) else { return [] }
    return [change(action, "Intune's copies of the types were added")]
  }

  /// In the text as it is written, unless entities hide types in it.
  private static func extending(_ text: PredicateText, writtenAs raw: PredicateText) -> Change.Action? {
    guard text.extended != text.original else { return nil }
    return raw.testCount == text.testCount ? .setRawText(raw.extended) : .set(.string(text.extended))
  }

  static func obstacle(of bundle: Bundle) throws(ConfiguratorError) -> Obstacle? {
    if bundle.isOpenInExtension { return try bundle.documentTypes().isEmpty ? .noDocumentTypes : nil }
    switch bundle.info.root.value(at: .activationRule) {
    case .object(let dictionary)?:
      do throws(Obstacle) {
        _ = try ActivationDictionary(dictionary)
        return nil
      } catch {
        return error
      }
    case .string(let text)?: return PredicateText(text).isUnderstood ? nil : .noType
    default: return nil
    }
  }

  private static func change(_ action: Change.Action, _ comment: String) -> Change {
    Change(path: .activationRule, action: action, comment: comment)
  }
}

extension ActivationRule.Obstacle: Error {}
