import Model

extension API {
  /// The method that a host most likely meant; nil when nothing is near.
  package static func nearestName(to name: String) -> String? { name.nearest(among: methods.map { $0.name }) }
}

extension String {
  /// The one of dotted names that was most likely meant: right but for case or namespace, else with the fewest letters
  /// wrong. Nil when nothing is near.
  package func nearest(among names: [String]) -> String? {
    let wanted = lowercasedASCII
    let member = wanted.split(separator: ".").last ?? ""
    if let same = names.first(where: { $0.lowercasedASCII == wanted }) { return same }
    let namesake = names.first { $0.lowercasedASCII.split(separator: ".").last == member }
    return namesake ?? names.nearest(to: self)
  }
}
