import JSON
import Model
import Policy

extension SettingType {
  /// A value of this type as Graph writes it; null one time in ten.
  package func random(_ random: inout SeededGenerator) -> JSONValue {
    if Int.random(in: 0..<10, using: &random) == 0 { return .null }
    switch self {
    case .bool: return .bool(.random(using: &random))
    case .integer(let range): return .integer(.random(in: range, using: &random))
    case .duration: return .string("P\(Int.random(in: 0...400, using: &random))D")
    case .string: return .string("text.\(random.next() % 100)")
    case .word(let type): return .string(words(of: type).randomElement(using: &random) ?? "")
    case .words(let type, let joined):
      let words = words(of: type).filter { _ in Bool.random(using: &random) }
      return joined ? .string(words.joined(separator: ",")) : .array(words.map(JSONValue.string))
    case .version: return .string("\(random.next() % 20).\(random.next() % 20)")
    case .strings(let separator, _):
      let texts = ["a", "b c", "d*", "https://*.sharepoint.com/*"].filter { _ in Bool.random(using: &random) }
      return separator.map { .string(texts.joined(separator: String($0))) } ?? .array(texts.map(JSONValue.string))
    case .pairs: return [["name": "Default", "value": "skype;itms"]]
    case .opaque: return .array([])
    }
  }

  private func words(of type: any GraphEnum.Type) -> [String] { type.allCases.map { $0.rawValue } }
}
