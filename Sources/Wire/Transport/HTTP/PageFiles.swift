/// The files of a page that a server shows in a browser of the same machine. They hold no data, so they need no token.
package struct PageFiles: Sendable {
  /// One file, and what it is.
  package struct File: Equatable, Sendable {
    let contentType: String
    let bytes: [UInt8]

    /// `nil` if the name does not say what the file is.
    package init?(named name: String, _ bytes: [UInt8]) {
      let kind = name.lastIndex(of: ".").map { name[name.index(after: $0)...] }
      guard let type = kind.flatMap({ Self.types[String($0)] }) else { return nil }
      contentType = type
      self.bytes = bytes
    }

    private static let types = [
      "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8",
      "svg": "image/svg+xml", "json": "application/json", "txt": "text/plain; charset=utf-8",
    ]
  }

  private let find: @Sendable (String) -> File?

  /// `find` gets a file's name, such as `app.js`.
  package init(_ find: @escaping @Sendable (String) -> File?) {
    self.find = find
  }

  /// The file at a path: `/` is index.html.
  func file(at path: String) -> File? {
    guard path.hasPrefix("/") else { return nil }
    return find(path == "/" ? "index.html" : String(path.dropFirst()))
  }

  /// Lets the page load only its own files and call only this server, and lets no other page contain it or learn
  /// anything of it.
  static let fields = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
}
