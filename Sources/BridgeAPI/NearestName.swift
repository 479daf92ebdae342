import Model

extension API {
  private static let knownNames = methods.map { KnownName($0.name) }

  /// The method that a host most likely meant; nil when nothing is near, and for a name over 64 bytes.
  package static func nearestName(to name: String) -> String? {
    WantedName(name)?.nearest(amongDotted: knownNames)
  }
}
