import JSON
import TestSupport

/// Lists of the keys that the configurator looks at, with values, comments and white space as they fall.
struct RandomList {
  private var random: SeededGenerator
  let newline: String
  private let unit: String
  private(set) var comments: [String] = []

  init(seed: UInt64) {
    random = SeededGenerator(state: seed)
    newline = ["\n", "\r\n", ""][Int.random(in: 0..<3, using: &random)]
    unit = newline.isEmpty ? "" : ["\t", "  ", "    ", ""][Int.random(in: 0..<4, using: &random)]
  }

  private mutating func chance(_ part: Double = 0.5) -> Bool { Double.random(in: 0..<1, using: &random) < part }

  private mutating func strings(of pool: [String]) -> JSONValue {
    let count = Int.random(in: 0...4, using: &random)
    return .array((0..<count).map { _ in .string(pool.randomElement(using: &random) ?? "") })
  }

  private mutating func dictionaries(_ name: String, of pool: [String]) -> JSONValue {
    var elements: [JSONValue] = []
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      elements.append(.object(chance(0.8) ? JSONObject([("Name", "x"), (name, strings(of: pool))]) : [:]))
    }
    return .array(elements)
  }

  mutating func info() -> String {
    let schemes = ["a", "B", "$(X)", "a-intunemam", "", "tel-fax"]
    let types = ["public.text", "public.image", "com.microsoft.intune.mam.public.text", ""]
    let queries = ["mailto", "zips", "Tel", "tel-intunemam", "http-intunemam", "a"]
    var info: JSONObject = ["CFBundleName": "$(X) <&>", "Nested": ["list": [[], [:], [1, 2.5, true]]]]
    if chance() { info["CFBundleURLTypes"] = dictionaries("CFBundleURLSchemes", of: schemes) }
    if chance() { info["CFBundleDocumentTypes"] = dictionaries("LSItemContentTypes", of: types) }
    if chance() { info["LSApplicationQueriesSchemes"] = strings(of: queries) }
    if chance() { info["UIMainStoryboardFile"] = "Main" }
    if chance() { info["IntuneMAMSettings"] = settings() }
    if chance() { info["NSExtension"] = ["NSExtensionAttributes": ["NSExtensionActivationRule": rule()]] }
    return document(info)
  }

  mutating func entitlements() -> String {
    document(["com.apple.security.application-groups": strings(of: ["group.a", "group.b", "group.<c>"])])
  }

  private mutating func settings() -> JSONValue {
    var settings: JSONObject = chance() ? ["MultiIdentity": true] : [:]
    if chance() { settings["AppGroupIdentifiers"] = strings(of: ["group.a", "group.d"]) }
    if chance(0.3) { settings["OpenInActionExtension"] = true }
    return .object(settings)
  }

  private mutating func rule() -> JSONValue {
    let test = "ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO \"public.url\""
    let rules: [JSONValue] = [
      "TRUEPREDICATE", .string("(\(test))"), .string("x AND\n\(test) && NOT \(test)"), "nothing", [:],
      ["NSExtensionActivationSupportsText": true],
      ["NSExtensionActivationSupportsFileWithMaxCount": 3, "NSExtensionActivationSupportsImageWithMaxCount": 2],
    ]
    return rules.randomElement(using: &random) ?? [:]
  }

  private mutating func document(_ object: JSONObject) -> String {
    "<plist version=\"1.0\">\(newline)" + text(.object(object), "") + "\(newline)</plist>\(newline)"
  }

  private mutating func text(_ value: JSONValue, _ indent: String) -> String {
    switch value {
    case .bool(let value): return value ? "<true/>" : "<false></false>"
    case .integer(let value): return "<integer>\(value)</integer>"
    case .number(let value): return "<real>\(value)</real>"
    case .string(let text): return "<string>\(escaped(text))</string>"
    case .array(let elements): return container("array", elements.map { (nil, $0) }, indent)
    case .object(let object): return container("dict", object.members.map { ($0.name, $0.value) }, indent)
    case .null: return "<string/>"
    }
  }

  private mutating func container(_ name: String, _ children: [(String?, JSONValue)], _ indent: String) -> String {
    if children.isEmpty && chance() { return "<\(name)/>" }
    let gap = chance(0.8) ? newline + indent + unit : " "
    var text = "<\(name)>" + comment(gap)
    for (key, value) in children {
      if let key { text += gap + "<key>\(key)</key>" + comment(gap) }
      text += gap + self.text(value, indent + unit) + comment(" ")
    }
    return text + (chance(0.8) ? newline + indent : "") + "</\(name)>"
  }

  private mutating func comment(_ gap: String) -> String {
    guard chance(0.2) else { return "" }
    comments.append("<!-- note \(comments.count): </dict> -->")
    return gap + (comments.last ?? "")
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\n", with: newline)
  }
}
