/// The parts of predicates that decide for which shared items an extension is offered.
enum ActivationPredicate {
  static func conforms(to type: String) -> String {
    "ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO \"\(type)\""
  }

  /// One item with a single attachment of one of the types, from a managed app.
  static func openIn(_ types: [String]) -> String {
    let tests = types.map { conforms(to: IntuneNames.copy(ofType: $0)) }
    return item(attachments(tests, indent: "    ") + ".@count == 1")
  }

  /// Whether a rule asks for all these types as `openIn` does.
  static func openIn(_ rule: String?, names types: [String]) -> Bool {
    let text = Array((rule ?? "").lowercased().utf8)
    let named = Set(TypeTest.all(in: text).map { String(decoding: text[$0.type], as: UTF8.self) })
    return types.allSatisfy { named.contains(IntuneNames.copy(ofType: $0).lowercased()) }
  }

  /// Hosts hand over one item, with all attachments in it.
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
