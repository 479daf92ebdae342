import JSON

/// What one app hands to another (NSItemProvider): bytes, a file or a URL.
package struct ItemProvider: Hashable, Sendable {
  /// A uniform type identifier, such as `public.plain-text`. No decision depends on it.
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
  package static let fields = Fields(
    Self.init(typeIdentifier:data:path:url:),
    Field(
      "typeIdentifier", \.typeIdentifier,
      "The type of the content, such as public.plain-text. No decision depends on it."),
    Field("data", \.data, "The content itself. If it is given, path and url are ignored."),
    Field("path", \.path, "The absolute path of the file that holds the content. If it is given, url is ignored."),
    Field("url", \.url, "The URL of the content. Content has an owner only if its URL begins with file://."))
}

/// An app that data could be shared with.
package struct ShareTarget: Hashable, Sendable {
  /// The app's bundle id or package id.
  package var id: String
  package var managed: Bool
  /// The account that the app would receive the data for; `nil` if unknown.
  package var account: AccountReference?

  package init(id: String, managed: Bool, account: AccountReference? = nil) {
    self.id = id
    self.managed = managed
    self.account = account
  }
}

extension ShareTarget: Record {
  package static let fields = Fields(
    Self.init(id:managed:account:), Field("id", \.id, "The bundle id of the app or, on Android, its package id."),
    Field("managed", \.managed, "Whether the app is managed."),
    Field("account", \.account, "The account that the app would receive the data for; null if unknown."))
}

/// The form in which copied content goes on the clipboard.
package enum ClipboardForm: String, CaseIterable, Hashable, Sendable {
  case plain
  /// Encrypted, so that only managed apps can paste it.
  case protected
  /// Not copied at all.
  case blocked
}

extension ClipboardForm: NamedValue {}

/// What a document picker is shown for (UIDocumentPickerMode).
package enum DocumentPickerMode: String, CaseIterable, Hashable, Sendable {
  case `import`, open, exportToService, moveToService

  /// Whether the picker brings data in. If not, it takes data out.
  package var bringsDataIn: Bool { self == .import || self == .open }
}

extension DocumentPickerMode: NamedValue {}

/// What happens to a URL that an app is about to open.
package enum URLAction: String, CaseIterable, Hashable, Sendable {
  case open
  /// Another URL is opened instead, which leads to the app that the policy names.
  case rewrite
  case block
}

extension URLAction: NamedValue {}

/// What happens to a URL that a web view is about to load.
package enum WebViewAction: String, CaseIterable, Hashable, Sendable {
  case load, openInManagedBrowser, block
}

extension WebViewAction: NamedValue {}

/// A use of a system feature that an app protection policy can forbid.
package enum EnforcedAction: String, CaseIterable, Hashable, Sendable {
  case print, screenCapture, thirdPartyKeyboard, dictation, backup, genmoji, writingTools, saveAs
}

extension EnforcedAction: NamedValue {}

/// Whether each location may be used: an object that has a boolean for the name of every location.
package struct LocationPermissions<Location: SDKEnumValue>: Hashable, Sendable {
  private let allowed: Set<Location>

  package init(allowed: Set<Location>) {
    self.allowed = allowed
  }

  /// Asks `isAllowed` about every location.
  package init(_ isAllowed: (Location) -> Bool) {
    allowed = Set(Location.allCases.filter(isAllowed))
  }

  package subscript(location: Location) -> Bool { allowed.contains(location) }
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
    components.reference(Location.schemaName + "s", to: Self.self) { components in
      [
        "type": "object", "description": "Whether each location may be used. Every location is a member.",
        "propertyNames": Location.schema(in: &components), "additionalProperties": ["type": "boolean"],
      ]
    }
  }
}
