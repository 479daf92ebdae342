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
