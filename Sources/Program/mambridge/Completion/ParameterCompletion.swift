import Bridge
import JSON

/// The parameters of a method on the command line of `call` and `explain`.
struct ParameterCompletion {
  private let parameters: [JSONValue]
  private let words: SchemaWords

  /// `nil` for an unknown method.
  init?(_ method: String) {
    guard API.method(named: method) != nil, let item = OpenRPC.item(named: method) else { return nil }
    parameters = item["params"]?.arrayValue ?? []
    words = SchemaWords(components: item["components"]?["schemas"]?.objectValue ?? [:])
  }

  func completion(of word: String, after given: some Sequence<String>) -> Completion {
    if let equals = word.firstIndex(of: "=") {
      return values(of: String(word[..<equals]), String(word[...equals]), word)
    }
    let given = Set(given.map { $0.prefix { $0 != "=" && $0 != ":" } })
    let names = parameters.compactMap { parameter -> Completion.Candidate? in
      guard let name = parameter["name"]?.stringValue, !given.contains(name[...]) else { return nil }
      return .init(text: "\(name)=", summary: parameter["summary"]?.stringValue ?? "")
    }
    return .words(names.starting(with: word))
  }

  private func values(of name: String, _ prefix: String, _ word: String) -> Completion {
    if word.hasPrefix("\(prefix)@") { return .files(prefix: "\(prefix)@") }
    guard let schema = parameters.first(where: { $0["name"]?.stringValue == name })?["schema"] else {
      return .words([])
    }
    switch words.source(of: schema) {
    case .words(let values): return .words(values.map { .init(text: prefix + $0) }.starting(with: word))
    case .path: return .files(prefix: prefix)
    case .content: return .words([.init(text: "\(prefix)@", summary: "the content of a file")].starting(with: word))
    }
  }
}

extension SchemaWords {
  /// Where a value on the command line comes from.
  enum Source { case words([String]), path, content }

  /// Names of an enumeration go before the SDK's numbers. Bytes and secrets are read from files.
  func source(of schema: JSONValue) -> Source {
    let schemas = alternatives(of: schema)
    if schemas.contains(where: { $0["contentEncoding"] != nil || $0["format"] == "password" }) { return .content }
    if schemas.contains(where: { $0["format"] == "absolute-path" }) { return .path }
    if schemas.contains(where: { $0["type"] == "boolean" }) { return .words(["true", "false"]) }
    let values = schemas.flatMap { $0["enum"]?.arrayValue ?? [] }
    let names = values.compactMap(\.stringValue)
    return .words(names.isEmpty ? values.map(\.jsonText) : names)
  }
}
