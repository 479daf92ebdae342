import Configurator
import JSON
import PropertyList

/// Short forms for tests.
enum Sample {
  /// Indented by tabs, as Xcode does it.
  static func plist(_ lines: String...) -> String {
    let head = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#,
      #"<plist version="1.0">"#, "<dict>",
    ]
    return (head + lines.map { "\t" + $0 } + ["</dict>", "</plist>", ""]).joined(separator: "\n")
  }

  static func file(_ text: String, path: String = "Info.plist") throws -> PropertyListFile {
    try PropertyListFile(path: path, bytes: Array(text.utf8))
  }

  static func bundle(_ info: String, entitlements: String = plist(), app: String? = nil) throws -> Bundle {
    Bundle(
      info: try file(info), entitlements: try file(entitlements, path: "App.entitlements"),
      app: try app.map { try file($0, path: "App/Info.plist") })
  }

  /// What the configurator makes of it; nil where it changes nothing.
  static func configured(
    _ info: String, entitlements: String = plist(), app: String? = nil, _ configurator: Configurator = Configurator()
  ) throws -> String? {
    let bundle = try bundle(info, entitlements: entitlements, app: app)
    let changes = try configurator.changes(of: bundle)
    guard !changes.isEmpty else { return nil }
    return String(decoding: try configurator.text(of: bundle.info, with: changes), as: UTF8.self)
  }

  static func value(of text: String) throws -> JSONValue { try PropertyList.parse(Array(text.utf8)) }
}
