import Model
import Policy

/// The values of both sides that questions are about, with a value that no side names.
struct QuestionValues {
  let sides: [ComparedShare]

  private func values(_ names: [SettingName]) -> [SettingValue] {
    names.flatMap { name in sides.compactMap { $0.value(name) } }
  }

  func durations(_ names: SettingName...) -> [ISODuration] { values(names).compactMap(\.durationValue) }
  func integers(_ names: SettingName...) -> [Int64] { values(names).compactMap(\.integerValue) }
  func versions(_ names: [SettingName]) -> [VersionNumber] { values(names).compactMap(\.versionValue) }

  /// The members of either side that mambridge does not know and that may restrict.
  var unknownNames: [String] {
    Set(sides.flatMap { $0.policy?.effective.unknownRestrictions.map(\.setting) ?? [] }).sorted()
  }

  func texts(_ names: SettingName..., unnamed: String) -> [String] {
    Array(Set(values(names).flatMap { $0.stringsValue ?? [] })).sorted() + [unnamed]
  }

  /// Package ids: in either half of a pair, or alone.
  func packages(_ names: SettingName...) -> [String] {
    let found = values(names).flatMap { value in
      (value.pairsValue ?? []).flatMap { [$0.name] + $0.value.split(separator: ";").map(String.init) }
        + [value.stringValue].compactMap { $0 }
    }
    let packages = found.map { String($0.filter { !$0.isWhitespace }) }.filter { !$0.isEmpty }
    return Array(Set(packages)).sorted() + ["unnamed.app"]
  }

  /// Schemes of addresses: those that policies may treat in their own way, those that a side names, and another one.
  private var schemes: [String] {
    let names = values([
      .exemptedAppProtocols, .customBrowserProtocol, .customDialerAppProtocol, .messagingRedirectAppUrlScheme,
    ])
    let texts = names.flatMap { value in
      (value.pairsValue ?? []).flatMap { $0.value.split(separator: ";").map(String.init) }
        + [value.stringValue].compactMap { $0 }
    }
    let named = texts.map { text in
      String(text.prefix { $0 != ":" }.filter { !$0.isWhitespace }).lowercasedASCII
    }
    let known = ["http", "https", "tel", "telprompt", "sms", "mailto", "microsoft-edge"]
    let secured = named.map { $0 + "s" }
    return known + Set(named + secured).subtracting(known).filter { !$0.isEmpty }.sorted() + ["x-unnamed"]
  }

  var addresses: [(String, AbsoluteURL)] {
    let ofSchemes = schemes.compactMap { scheme in
      AbsoluteURL(scheme + "://unnamed.example/").map { (scheme, $0) }
    }
    let names = packages(
      .exemptedAppPackages, .customBrowserPackageId, .customDialerAppPackageId, .messagingRedirectAppPackageId)
    let ofPackages = (names + ["com.android.phone"]).compactMap { name in
      AbsoluteURL("android-app://\(name)/").map { ("the package \(name)", $0) }
    }
    return ofSchemes + (sides.contains { $0.platform == .android } ? ofPackages : [])
  }

  /// For each pattern of either side: links that match it, with and without a port and a path.
  var links: [(String, [AbsoluteURL])] {
    let patterns = Set(
      values([.managedUniversalLinks, .exemptedUniversalLinks]).flatMap { $0.stringsValue ?? [] })
    return patterns.sorted().map { ("like \($0)", Self.links(like: $0)) }
      + [("that no policy lists", ["https://unnamed.example/"].compactMap(AbsoluteURL.init))]
  }

  private static func links(like pattern: String) -> [AbsoluteURL] {
    let filled = ["zqunnamed", "", "zq/unnamed"].map { text in
      String(pattern.flatMap { $0 == "*" ? Array(text) : [$0] })
    }
    let hasScheme = WebAddressText.hasScheme(pattern)
    let whole = hasScheme ? filled : filled.flatMap { ["https://" + $0, "http://" + $0] }
    return whole.flatMap { text -> [String] in
      let parts = WebAddressText(text)
      let ports = parts.hasPort ? [""] : ["", ":8443"]
      let paths = parts.path.isEmpty ? ["", "/", "/zqunnamed"] : [parts.path]
      return ports.flatMap { port in paths.map { parts.server + port + $0 } }
    }.compactMap(AbsoluteURL.init)
  }
}

/// An address in the parts that patterns tell apart.
private struct WebAddressText {
  let server: String
  let path: String
  let hasPort: Bool

  init(_ text: String) {
    var rest = Substring(text)
    var prefix = ""
    if Self.hasScheme(text), let colon = text.firstIndex(of: ":") {
      let start = text.index(colon, offsetBy: 3)
      (prefix, rest) = (String(text[..<start]), text[start...])
    }
    let host = rest.prefix { !"/?#".contains($0) }
    server = prefix + host
    path = String(rest[host.endIndex...])
    hasPort = host.contains(":")
  }

  static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":") else { return false }
    return text[colon...].hasPrefix("://")
  }
}
