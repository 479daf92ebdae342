import Cryptography
import Support
import Vault

/// What seals a token cache: 32 random bytes in a key file beside it, or what a command prints.
///
/// A sealed cache is a magic, the kind of key, a salt, a nonce, and the text under AES-256-GCM, with a key that HKDF
/// derives from the secret and the salt. All of the front is authenticated.
final class TokenSeal: Sendable {
  private enum Kind: UInt8 { case keyFile = 0, command = 1 }

  private static let magic = Array("mambridge tokens 1\n".utf8)
  private static let info = Array("mambridge/tokens/v1".utf8)
  private static let secretLength = 32
  private static let longestSecret = 4096
  private static let saltLength = 16
  private static let frontLength = magic.count + 1 + saltLength + AESGCM.nonceLength

  private let command: [String]?
  private let known = Lock<SecretBytes?>(nil)

  /// Without a command, there is a key file.
  init(command: [String]?) { self.command = command }

  private var kind: Kind { command == nil ? .keyFile : .command }

  static func keyName(of name: String) -> String { name + ".key" }

  /// Runs the key command, which may take a person and a minute, so that nothing waits for it under a lock.
  func prepare() throws(SignInFailure) {
    guard let command, known.withLock({ $0 == nil }) else { return }
    let secret = try Self.run(command)
    known.withLock { $0 = $0 ?? secret }
  }

  /// `nil` if the key file is missing. It is read each time, because somebody may remove it with the cache.
  private func secret(
    in folder: PrivateFolder, _ name: String, makesKey: Bool
  ) throws(SignInFailure) -> SecretBytes? {
    guard command != nil else { return try keyFile(in: folder, Self.keyName(of: name), makes: makesKey) }
    try prepare()
    return known.withLock { $0 }
  }

  private static func run(_ words: [String]) throws(SignInFailure) -> SecretBytes {
    let secret: SecretBytes
    do throws(SecretCommand.Failure) {
      secret = try SecretCommand(words: words, maximum: longestSecret).run()
    } catch {
      switch error {
      case .memory(let error): throw SignInFailure(.cacheBusy, "There is no memory for a key: \(error).")
      case .program(let what): throw SignInFailure(.cache, "The token cache has no key: the key command \(what).")
      }
    }
    guard secret.count >= secretLength else {
      throw SignInFailure(
        .cache, "The token cache has no key: the key command wrote fewer than \(secretLength) bytes.")
    }
    return secret
  }

  private func keyFile(
    in folder: PrivateFolder, _ name: String, makes: Bool
  ) throws(SignInFailure) -> SecretBytes? {
    if makes { try makeKey(in: folder, name) }
    guard var bytes = try folder.read(name, upTo: Self.secretLength) else { return nil }
    defer { bytes.clear() }
    guard bytes.count == Self.secretLength else {
      throw .damaged(folder.place(name), "it has \(bytes.count) bytes instead of \(Self.secretLength)")
    }
    return try Self.cryptography { () throws(CryptographyError) in
      try bytes.withRawBytes { bytes throws(CryptographyError) in try SecretBytes(copying: bytes) }
    }
  }

  private func makeKey(in folder: PrivateFolder, _ name: String) throws(SignInFailure) {
    guard try folder.read(name, upTo: Self.secretLength) == nil else { return }
    var bytes = [UInt8](repeating: 0, count: Self.secretLength)
    defer { bytes.clear() }
    try Self.cryptography { () throws(CryptographyError) in
      try bytes.withUnsafeMutableBufferPointer { bytes throws(CryptographyError) in
        try Random.fillSecret(UnsafeMutableRawBufferPointer(bytes))
      }
    }
    try folder.write(bytes, as: name, replaces: false)
  }

  private static func cryptography<Value>(
    _ body: () throws(CryptographyError) -> Value
  ) throws(SignInFailure) -> Value {
    do throws(CryptographyError) { return try body() } catch {
      throw SignInFailure(.cacheBusy, "Cannot make a key for the token cache: \(error). Try again.")
    }
  }
}

extension TokenSeal {
  /// The key file of a new cache is made here. The caller holds the lock.
  func seal(_ text: [UInt8], in folder: PrivateFolder, _ name: String) throws(SignInFailure) -> [UInt8] {
    guard let secret = try secret(in: folder, name, makesKey: true) else { throw missingKey(folder, name) }
    return try Self.cryptography { () throws(CryptographyError) in
      let fresh = try Random.bytes(Self.saltLength + AESGCM.nonceLength)
      let front = Self.magic + [kind.rawValue] + fresh
      let key = try Self.key(secret, front)
      return front
        + (try AESGCM.seal(text, key: key, nonce: front.suffix(AESGCM.nonceLength), associatedData: front))
    }
  }

  func open(_ sealed: [UInt8], in folder: PrivateFolder, _ name: String) throws(SignInFailure) -> [UInt8] {
    let path = folder.place(name)
    guard sealed.count >= Self.frontLength + AESGCM.tagLength, sealed.starts(with: Self.magic),
      let kind = Kind(rawValue: sealed[Self.magic.count])
    else { throw .damaged(path, "it is no token cache of this version") }
    guard kind == self.kind else { throw wrongKind(kind, path) }
    guard let secret = try secret(in: folder, name, makesKey: false) else { throw missingKey(folder, name) }
    let front = Array(sealed[..<Self.frontLength])
    do throws(CryptographyError) {
      return try AESGCM.open(
        sealed[Self.frontLength...], key: try Self.key(secret, front), nonce: front.suffix(AESGCM.nonceLength),
        associatedData: front)
    } catch {
      throw wrongKey(path)
    }
  }

  private static func key(_ secret: SecretBytes, _ front: [UInt8]) throws(CryptographyError) -> SecretBytes {
    let salt = front[(magic.count + 1)..<(magic.count + 1 + saltLength)]
    return try HKDF.derive(salt: salt, secret: secret, info: info, count: AESGCM.keyLength)
  }

  private func missingKey(_ folder: PrivateFolder, _ name: String) -> SignInFailure {
    SignInFailure(
      .cache,
      "The key file \(folder.place(Self.keyName(of: name))) of the token cache is missing. Restore it, or remove "
        + "\(folder.place(name)) and sign in again with mambridge-tenant login.")
  }

  private func wrongKind(_ kind: Kind, _ path: String) -> SignInFailure {
    let (sealed, way) =
      kind == .command
      ? ("a key command", "Pass it with --key-command") : ("its key file", "Leave out --key-command")
    return SignInFailure(
      .cache, "The token cache \(path) is sealed with \(sealed). \(way), or choose another file with --token-cache.")
  }

  private func wrongKey(_ path: String) -> SignInFailure {
    let key = command == nil ? "its key file \(Self.keyName(of: path))" : "the output of the key command"
    return SignInFailure(
      .cache,
      "The token cache \(path) does not open with \(key): one of them is damaged or from elsewhere. Restore both, or "
        + "remove \(path) and sign in again with mambridge-tenant login.")
  }
}
