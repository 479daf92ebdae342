import Cryptography
import JSON

/// The keys with which an identity provider signs tokens (RFC 7517), by their name and algorithm.
///
/// A key that cannot be used never spoils the others: keys for encryption, keys of other kinds and curves, keys without
/// a name, damaged keys, and published private keys are left out. If two different keys claim one name and algorithm,
/// neither is used, because the choice would be a guess.
struct KeySet: Sendable {
  private struct Place: Hashable {
    let name: String
    let algorithm: SignatureAlgorithm
  }

  /// More keys than any provider has.
  private static let mostKeys = 200
  private static let privateMembers = ["d", "p", "q", "k"]

  private let keys: [Place: SignatureKey]
  private let names: Set<String>

  /// `nil` if the object is no set of keys. `rsaAlgorithms` are those of an RSA key that names none itself.
  init?(_ object: JSONObject, rsaAlgorithms: Set<SignatureAlgorithm>) {
    guard let members = object["keys"]?.arrayValue else { return nil }
    var (keys, ambiguous): ([Place: SignatureKey], Set<Place>) = ([:], [])
    for member in members.prefix(Self.mostKeys) {
      guard let name = Self.nameOfUsable(member), let key = Self.key(member) else { continue }
      for algorithm in Self.algorithms(member, key.kind, rsaAlgorithms) {
        let place = Place(name: name, algorithm: algorithm)
        if let other = keys[place], other != key { ambiguous.insert(place) }
        keys[place] = key
      }
    }
    self.keys = keys.filter { !ambiguous.contains($0.key) }
    names = Set(self.keys.keys.map(\.name))
  }

  var isEmpty: Bool { keys.isEmpty }

  func key(_ name: String, _ algorithm: SignatureAlgorithm) -> SignatureKey? {
    keys[Place(name: name, algorithm: algorithm)]
  }

  /// Whether there is a key of this name, for any algorithm.
  func has(_ name: String) -> Bool { names.contains(name) }

  private static func nameOfUsable(_ member: JSONValue) -> String? {
    guard let name = member["kid"]?.stringValue, !name.isEmpty else { return nil }
    let isForSignatures = member["use"].map { $0 == "sig" } ?? true
    let isForVerifying = member["key_ops"].map { $0.arrayValue?.contains("verify") ?? false } ?? true
    let isPublic = privateMembers.allSatisfy { member[$0] == nil }
    return isForSignatures && isForVerifying && isPublic ? name : nil
  }

  private static func key(_ member: JSONValue) -> SignatureKey? {
    func bytes(_ name: String) -> [UInt8]? { member[name]?.stringValue.flatMap { Base64URL.decode($0) } }
    switch member["kty"]?.stringValue {
    case "RSA":
      guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
      return try? .rsa(modulus: modulus, exponent: exponent)
    case "EC":
      guard member["crv"] == "P-256", let x = bytes("x"), let y = bytes("y") else { return nil }
      return try? .p256(x: x, y: y)
    default: return nil
    }
  }

  /// The algorithm that the key names, or those of its kind.
  private static func algorithms(
    _ member: JSONValue, _ kind: SignatureKey.Kind, _ rsaAlgorithms: Set<SignatureAlgorithm>
  ) -> [SignatureAlgorithm] {
    guard let named = member["alg"], !named.isNull else {
      return kind == .rsa ? rsaAlgorithms.filter { $0.kind == .rsa } : [.es256]
    }
    let algorithm = named.stringValue.flatMap(SignatureAlgorithm.init(rawValue:))
    return algorithm.map { $0.kind == kind ? [$0] : [] } ?? []
  }
}
