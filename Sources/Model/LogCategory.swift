import JSON

/// The part of the program that a line of the diagnostics log is about.
///
/// Of any text, letters, digits and `._-` are kept and 64 bytes at most; all else becomes `-`.
public struct LogCategory: Hashable, Sendable {
  public let name: String

  public init(_ text: String) {
    let kept = text.utf8.prefix(64).map { $0.isCategoryByte ? $0 : UInt8(ascii: "-") }
    name = kept.isEmpty ? "host" : String(decoding: kept, as: UTF8.self)
  }
}

extension LogCategory: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(value) }
}

extension LogCategory {
  public static let accounts: LogCategory = "accounts"
  public static let appConfig: LogCategory = "appConfig"
  public static let certificatePinning: LogCategory = "certificatePinning"
  public static let conditionalLaunch: LogCategory = "conditionalLaunch"
  public static let dataProtection: LogCategory = "dataProtection"
  public static let diagnostics: LogCategory = "diagnostics"
  public static let enrollment: LogCategory = "enrollment"
  public static let files: LogCategory = "files"
  /// Lines that the host wrote without naming a category.
  public static let host: LogCategory = "host"
  public static let policy: LogCategory = "policy"
  public static let server: LogCategory = "server"
  public static let settings: LogCategory = "settings"
  public static let store: LogCategory = "store"
  public static let tenant: LogCategory = "tenant"
}

extension LogCategory: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> LogCategory {
    LogCategory(try String.decode(node))
  }

  package func encode(to writer: inout JSONWriter) { writer.plainString(name.utf8) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": "string"] }
}

extension UInt8 {
  fileprivate var isCategoryByte: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }
}
