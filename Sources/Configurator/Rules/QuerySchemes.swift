import PropertyList

/// The schemes that an app asks for with canOpenURL: a copy of each, and those that the SDK asks for itself.
///
/// The list is that of the guides from October 2024 on.
enum QuerySchemes {
  static let fixed = [
    "http-intunemam", "https-intunemam", "microsoft-edge-http-intunemam", "microsoft-edge-https-intunemam", "smart-ns",
    "zips", "lacoonsecurity", "wandera", "lookoutwork-ase", "skycure", "betteractiveshield", "smsec", "mvisionmobile",
    "scmx", "intunemam-mtd",
  ]
  /// What iOS takes of an app; from the 51st on it answers no.
  static let limit = 50
  private static let mailScheme = "mailto"
  private static let managedMailScheme = "ms-outlook-intunemam"

  /// What is missing, and which copies find no room: the SDK's schemes come first.
  static func missing(
    in bundle: Bundle
  ) throws(ConfiguratorError) -> (added: [String], withoutRoom: [String]) {
    let present = try bundle.info.strings(at: .querySchemes)
    let own = present.filter { !$0.isEmpty && !IntuneNames.isIntuneScheme($0) && !fixed.contains($0.lowercased()) }
    let asksForMail = own.contains { $0.lowercased() == mailScheme }
    let needed = IntuneNames.missing(fixed + (asksForMail ? [managedMailScheme] : []), in: present)
    let copies = IntuneNames.missing(own.map(IntuneNames.copy(ofScheme:)), in: present + needed)
    let room = max(0, limit - present.count - needed.count)
    return (copies.prefix(room) + needed, Array(copies.dropFirst(room)))
  }

  static func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    guard !bundle.isExtension else { return [] }
    let missing = try missing(in: bundle).added
    guard !missing.isEmpty else { return [] }
    return [Change(path: .querySchemes, action: .append(missing), comment: "schemes of managed apps and of the SDK")]
  }
}
