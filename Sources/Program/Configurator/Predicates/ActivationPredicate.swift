import JSON

/// Builds the predicates that decide for which shared items iOS offers an extension.
enum ActivationPredicate {
  static func conforms(to type: String) -> String {
    "ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO \"\(type)\""
  }

  /// Accepts one item with a single attachment of one of the types, from a managed app.
  static func openIn(_ types: [String]) -> String {
    let tests = types.map { conforms(to: IntuneNames.copy(ofType: $0)) }
    return item(attachments(tests, indent: "    ") + ".@count == 1")
  }

  /// Whether a rule already accepts all these types as `openIn` does.
  static func openIn(_ rule: String?, names types: [String]) -> Bool {
    let text = Array((rule ?? "").lowercased().utf8)
    let named = Set(TypeTest.all(in: text).map { String(decoding: text[$0.type], as: UTF8.self) })
    return types.allSatisfy { named.contains(IntuneNames.copy(ofType: $0).lowercased()) }
  }

  /// A host app shares one item, which holds all attachments.
  static func item(_ condition: String) -> String {
    "SUBQUERY (\n    extensionItems,\n    $extensionItem,\n    \(condition)\n).@count == 1"
  }

  /// The attachments that pass one of the tests.
  static func attachments(_ tests: [String], indent: String) -> String {
    let inner = indent + "    "
    let list = tests.joined(separator: " ||\n\(inner)")
    return "SUBQUERY (\n\(inner)$extensionItem.attachments,\n\(inner)$attachment,\n\(inner)\(list)\n\(indent))"
  }
}

/// An activation rule in its dictionary form: how many attachments of which kind.
///
/// An attachment counts as the most specific kind that the rule names: a picture counts as an image if the rule names
/// images, and as a file if it names only files. In version 1, and with strict matching, every attachment must be of a
/// named kind; in version 2 one is enough. Apple does not document how these keys become a predicate, so this is an
/// interpretation.
struct ActivationDictionary {
  enum Kind: CaseIterable {
    case image, movie, text, page, url, file
  }

  /// `nil` means no limit.
  private var limits: [(kind: Kind, most: Int64?)] = []
  private let most: Int64?
  private let least: Int64
  private let isStrict: Bool

  init(_ dictionary: JSONObject) throws(ActivationRule.Obstacle) {
    let unknown = dictionary.members.filter { member in
      Key(rawValue: member.name) == nil || Self.number(member.value) == nil
    }
    guard unknown.isEmpty else { throw .unknownKeys(unknown.map(\.name)) }
    let count = { (key: Key) in dictionary[key.rawValue].flatMap(Self.number) }
    for kind in Kind.allCases {
      guard let most = count(kind.key), most > 0 else { continue }
      limits.append((kind, kind == .text ? nil : most))
    }
    guard !limits.isEmpty else { throw .noKind }
    most = count(.attachmentsMost).flatMap { $0 > 0 ? $0 : .none }
    least = count(.attachmentsLeast) ?? 0
    isStrict = (count(.version) ?? 1) < 2 || count(.strict) == 1
  }

  /// Xcode writes numbers, but booleans and strings occur, too.
  private static func number(_ value: JSONValue) -> Int64? {
    value.integerValue ?? value.boolValue.map { $0 ? 1 : 0 } ?? value.stringValue.flatMap(Int64.init)
  }

  /// The rule as a predicate, without Intune's types.
  var predicate: String {
    var conditions: [String] = limits.compactMap { limit in
      limit.most.map { "\(count([limit.kind])) <= \($0)" }
    }
    let all = count(limits.map(\.kind))
    conditions.append(isStrict ? "\(all) == $extensionItem.attachments.@count" : "\(all) > 0")
    if isStrict || least > 0 { conditions.append("$extensionItem.attachments.@count >= \(max(1, least))") }
    if let most { conditions.append("$extensionItem.attachments.@count <= \(most)") }
    return ActivationPredicate.item(conditions.joined(separator: " AND\n    "))
  }

  private func count(_ kinds: [Kind]) -> String {
    let named = limits.map(\.kind)
    return ActivationPredicate.attachments(kinds.map { $0.test(among: named) }, indent: "    ") + ".@count"
  }
}

extension ActivationDictionary {
  fileprivate enum Key: String {
    case image = "NSExtensionActivationSupportsImageWithMaxCount"
    case movie = "NSExtensionActivationSupportsMovieWithMaxCount"
    case text = "NSExtensionActivationSupportsText"
    case page = "NSExtensionActivationSupportsWebPageWithMaxCount"
    case url = "NSExtensionActivationSupportsWebURLWithMaxCount"
    case file = "NSExtensionActivationSupportsFileWithMaxCount"
    case attachmentsMost = "NSExtensionActivationSupportsAttachmentsWithMaxCount"
    case attachmentsLeast = "NSExtensionActivationSupportsAttachmentsWithMinCount"
    case version = "NSExtensionActivationDictionaryVersion"
    case strict = "NSExtensionActivationUsesStrictMatching"
  }
}

extension ActivationDictionary.Kind {
  fileprivate var key: ActivationDictionary.Key {
    switch self {
    case .image: .image
    case .movie: .movie
    case .text: .text
    case .page: .page
    case .url: .url
    case .file: .file
    }
  }

  private var type: String {
    switch self {
    case .image: "public.image"
    case .movie: "public.movie"
    case .text: "public.text"
    case .page: "com.apple.property-list"
    case .url: "public.url"
    case .file: "public.data"
    }
  }

  /// A file URL is also a URL, and a URL is also data; these overlaps are excluded. `named` are the kinds of the whole
  /// rule.
  fileprivate func test(among named: [Self]) -> String {
    let conforms = ActivationPredicate.conforms(to: type)
    let isFileURL = ActivationPredicate.conforms(to: "public.file-url")
    switch self {
    case .image, .movie, .text, .page: return conforms
    case .url: return "(\(conforms) AND NOT (\(isFileURL)))"
    case .file:
      let isURL = ActivationPredicate.conforms(to: Self.url.type)
      let others = named.filter { $0 != .file && $0 != .url }.map { ActivationPredicate.conforms(to: $0.type) }
      let exclusion = others.isEmpty ? "" : " AND NOT (\(others.joined(separator: " || ")))"
      return "((\(isFileURL) || (\(conforms) AND NOT (\(isURL))))\(exclusion))"
    }
  }
}
