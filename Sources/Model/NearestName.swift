extension Collection<String> {
  /// The name that somebody most likely meant: right but for case, else with the fewest letters wrong. Nil when nothing
  /// is near.
  package func nearest(to name: String) -> String? {
    guard (1...100).contains(name.utf8.count) else { return nil }
    let wanted = name.lowercasedASCII
    if let same = first(where: { $0.lowercasedASCII == wanted }) { return same }
    let ranked = map { (name: $0, distance: $0.lowercasedASCII.letters(wrongIn: wanted)) }
    return ranked.min { $0.distance < $1.distance }.flatMap { $0.distance <= wanted.utf8.count / 4 ? $0.name : nil }
  }
}

extension String {
  /// How many letters must be put in, taken out or changed (Levenshtein).
  fileprivate func letters(wrongIn other: String) -> Int {
    let other = Array(other.utf8)
    var row = Array(0...other.count)
    for (index, letter) in utf8.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in other.indices {
        let change = diagonal + (letter == other[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = Swift.min(change, Swift.min(diagonal, row[column]) + 1)
      }
    }
    return row[other.count]
  }
}
