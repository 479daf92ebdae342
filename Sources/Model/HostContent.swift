import JSON

/// What one app hands to another (NSItemProvider): bytes, a file, or an address.
package struct ItemProvider: Hashable, Sendable {
  /// A uniform type identifier, such as `public.plain-text`; informative.
  package var typeIdentifier: String?
  package var data: Base64Bytes?
  package var path: String?
  package var url: String?

  package init(typeIdentifier: String? = nil, data: Base64Bytes? = nil, path: String? = nil, url: String? = nil) {
    self.typeIdentifier = typeIdentifier
    self.data = data
    self.path = path
    self.url = url
  }
}

extension ItemProvider: Record {
  package static let schemaName: String? = "ItemProvider"
  package static let fields = Fields(
    Self.init(typeIdentifier:data:path:url:),
    Field("typeIdentifier", \.typeIdentifier, "The type of the content, such as public.plain-text; informative."),
    Field("data", \.data, "The content itself; where it is given, path and url are not looked at."),
    Field("path", \.path, "The file that holds the content; where it is given, url is not looked at."),
    Field("url", \.url, "The address of the content; only file:// leads to something that has an owner."))
}

/// An app to which data could be shared.
public struct ShareTarget: Hashable, Sendable {
  /// The app's bundle id or package id.
  public var id: String
  public var managed: Bool
  /// The account that it would receive the data for; nil when that is not known.
  public var account: AccountReference?

  public init(id: String, managed: Bool, account: AccountReference? = nil) {
    self.id = id
    self.managed = managed
    self.account = account
  }
}

extension ShareTarget: Record {
  package static let schemaName: String? = "ShareTarget"
  package static let fields = Fields(
    Self.init(id:managed:account:), Field("id", \.id, "The app's bundle id, on Android its package id."),
    Field("managed", \.managed, "Whether the app is managed."),
    Field("account", \.account, "The account that it receives for; null when that is not known."))
}

/// How copied content gets onto the clipboard.
public enum ClipboardForm: String, CaseIterable, Hashable, Sendable {
  case plain
  /// Encrypted, so that only managed apps can paste it.
  case protected
  /// Not at all.
  case blocked
}

extension ClipboardForm: NamedValue {}

/// What a document picker is opened for (UIDocumentPickerMode).
public enum DocumentPickerMode: String, CaseIterable, Hashable, Sendable {
  case `import`, open, exportToService, moveToService

  /// Whether the picker brings data in; else it takes data out.
  package var bringsDataIn: Bool { self == .import || self == .open }
}

extension DocumentPickerMode: NamedValue {}

/// What becomes of an address that an app is about to open.
public enum URLAction: String, CaseIterable, Hashable, Sendable {
  case open
  /// Another address is opened instead, which leads to the app that the policy names.
  case rewrite
  case block
}

extension URLAction: NamedValue {}

/// What becomes of an address that a web view is about to go to.
public enum WebViewAction: String, CaseIterable, Hashable, Sendable {
  case load, openInManagedBrowser, block
}

extension WebViewAction: NamedValue {}

/// What a user can do with a feature of the system, and an app protection policy can forbid.
public enum EnforcedAction: String, CaseIterable, Hashable, Sendable {
  case print, screenCapture, thirdPartyKeyboard, dictation, backup, genmoji, writingTools, saveAs
}

extension EnforcedAction: NamedValue {}

/// Whether each location may be used, as an object from every location's name to a boolean.
public struct LocationPermissions<Location: SDKEnum>: Hashable, Sendable {
  private let allowed: Set<Location>

  public init(allowed: Set<Location>) {
    self.allowed = allowed
  }

  /// Asks for each location there is.
  public init(_ isAllowed: (Location) -> Bool) {
    allowed = Set(Location.allCases.filter(isAllowed))
  }

  public subscript(location: Location) -> Bool { allowed.contains(location) }
}

extension LocationPermissions: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Self {
    let flags = try [String: Bool].decode(node)
    for name in flags.keys.sorted() where Location(rawValue: name) == nil {
      throw JSONDecodingError(.unknown).inside(name)
    }
    for location in Location.allCases where flags[location.rawValue] == nil {
      throw JSONDecodingError(.missing).inside(location.rawValue)
    }
    return Self { flags[$0.rawValue] ?? false }
  }

  package func encode(to writer: inout JSONWriter) {
    writer.beginObject()
    for location in Location.allCases { writer.member(location.rawValue, self[location]) }
    writer.endObject()
  }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    let names = Location.allCases.map(\.rawValue)
    return [
      "type": "object",
      "properties": .object(JSONObject(names.map { ($0, ["type": "boolean"]) })),
      "required": .array(names.map(JSONValue.string)),
      "additionalProperties": false,
    ]
  }
}
