import Model

extension API {
  /// The method that a host most likely meant; nil when nothing is near.
  package static func nearestName(to name: String) -> String? { name.nearest(among: methods.map { $0.name }) }
}

extension String {
  /// The one of dotted names that was most likely meant: right but for case or namespace, else with the fewest letters
  /// wrong. Nil when nothing is near.
  package func nearest(among names: [String]) -> String? {
    guard (1...100).contains(utf8.count) else { return nil }
    let wanted = lowercasedASCII
    let member = wanted.split(separator: ".").last ?? ""
    if let same = names.first(where: { $0.lowercasedASCII == wanted }) { return same }
    if let same = names.first(where: { $0.lowercasedASCII.split(separator: ".").last == member }) { return same }
    let ranked = names.map { (name: $0, distance: $0.lowercasedASCII.distance(to: wanted)) }
    return ranked.min { $0.distance < $1.distance }.flatMap { $0.distance <= wanted.utf8.count / 4 ? $0.name : nil }
  }

  /// How many letters must be put in, taken out or changed (Levenshtein).
  private func distance(to right: String) -> Int {
    let right = Array(right.utf8)
    var row = Array(0...right.count)
    for (index, letter) in utf8.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let change = diagonal + (letter == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, min(diagonal, row[column]) + 1)
      }
    }
    return row[right.count]
  }
}
