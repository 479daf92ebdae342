import Cryptography
import Support

/// What a client may get tokens for: a user, and the scopes that were asked for.
struct Grant: Hashable, Sendable {
  /// The object id.
  var user: String
  var scope: RequestedScope
  var nonce: String?
}

/// The codes and refresh tokens that are out. They end with the process.
final class Grants: Sendable {
  struct AuthorizationCode: Sendable {
    let grant: Grant
    let redirect: String
    /// The S256 challenge that the verifier must meet.
    let challenge: String
    let expires: Timestamp
    /// The refresh token of a code that was used.
    var family: String?
    var isUsed = false
  }

  enum DeviceState: Hashable, Sendable {
    case pending
    case approved(Grant)
    case declined
    /// A person chose that it ends like this.
    case failed(EntraError)
  }

  struct DeviceCode: Sendable {
    let deviceCode: String
    let userCode: String
    let scope: RequestedScope
    let expires: Timestamp
    var state = DeviceState.pending
  }

  /// The refresh tokens of one sign-in: each replaces the one before.
  private struct Family {
    let grant: Grant
    var current: String
  }

  private struct State {
    var codes: [String: AuthorizationCode] = [:]
    /// In the order in which they were asked for.
    var devices: [DeviceCode] = []
    var families: [String: Family] = [:]
  }

  /// In seconds.
  static let codeLife: Int64 = 600
  static let deviceCodeLife: Int64 = 900
  /// Anybody may ask for device codes; the oldest goes when there are more.
  private static let mostDeviceCodes = 200

  private let state = Lock(State())

  /// Ends all sign-ins.
  func clear() { state.withLock { $0 = State() } }

  /// The device codes that wait for a person.
  func waiting(at now: Timestamp) -> [DeviceCode] {
    state.withLock { $0.devices.filter { $0.state == .pending && $0.expires > now } }
  }

  private static func random(_ count: Int) throws(CryptographyError) -> String {
    Base64URL.encode(try Random.bytes(count))
  }
}

// MARK: - Authorization codes

extension Grants {
  /// `life` is in seconds.
  func code(
    for grant: Grant, redirect: String, challenge: String, at now: Timestamp, life: Int64 = Grants.codeLife
  ) throws(CryptographyError) -> String {
    let code = try Self.random(32)
    let entry = AuthorizationCode(
      grant: grant, redirect: redirect, challenge: challenge, expires: now.advanced(by: life * 1000))
    state.withLock { state in
      state.codes = state.codes.filter { $0.value.expires > now }
      state.codes[code] = entry
    }
    return code
  }

  /// Takes a code, which counts once. A code that comes twice was stolen, so what the first got ends, too.
  func take(_ code: String, at now: Timestamp) throws(EntraError) -> AuthorizationCode {
    let (entry, isReplay) = state.withLock { state -> (AuthorizationCode?, Bool) in
      guard let entry = state.codes[code], entry.expires > now else { return (nil, false) }
      state.codes[code]?.isUsed = true
      if entry.isUsed, let family = entry.family { state.families[family] = nil }
      return (entry, entry.isUsed)
    }
    guard !isReplay else {
      throw EntraError("invalid_grant", 54005, "The authorization code was already redeemed.")
    }
    guard let entry else {
      throw EntraError.expiredCode
    }
    return entry
  }
}

// MARK: - Device codes

extension Grants {
  /// Letters that nobody confuses.
  private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ")

  func deviceCode(for scope: RequestedScope, at now: Timestamp) throws(CryptographyError) -> DeviceCode {
    let letters = try Random.bytes(8).map { Self.letters[Int($0) % Self.letters.count] }
    let entry = DeviceCode(
      deviceCode: try Self.random(32), userCode: String(letters), scope: scope,
      expires: now.advanced(by: Self.deviceCodeLife * 1000))
    state.withLock { state in
      state.devices.append(entry)
      if state.devices.count > Self.mostDeviceCodes { state.devices.removeFirst() }
    }
    return entry
  }

  /// The code that a person enters, with any spaces, dashes and case; `nil` for one that is not waiting.
  func pending(_ userCode: String, at now: Timestamp) -> DeviceCode? {
    let plain = userCode.uppercased().filter(\.isLetter)
    return state.withLock { state in
      state.devices.first { $0.userCode == plain && $0.state == .pending && $0.expires > now }
    }
  }

  func settle(_ code: DeviceCode, _ outcome: DeviceState) {
    state.withLock { state in
      guard let place = state.devices.firstIndex(where: { $0.deviceCode == code.deviceCode }) else { return }
      state.devices[place].state = outcome
    }
  }

  /// What has become of a code; one that was approved counts once.
  func takeDevice(_ deviceCode: String, at now: Timestamp) throws(EntraError) -> Grant {
    let entry = state.withLock { state -> DeviceCode? in
      guard let place = state.devices.firstIndex(where: { $0.deviceCode == deviceCode }) else { return nil }
      let entry = state.devices[place]
      if entry.state != .pending || entry.expires <= now { state.devices.remove(at: place) }
      return entry
    }
    guard let entry else {
      throw EntraError("bad_verification_code", 70018, "The device code is not known, or was already redeemed.")
    }
    switch entry.state {
    case .approved(let grant): return grant
    case .declined: throw EntraError("authorization_declined", 65004, "The user declined to sign in.")
    case .failed(let error): throw error
    case .pending where entry.expires <= now:
      throw EntraError.expiredDeviceCode
    case .pending: throw EntraError("authorization_pending", 70016, "Nobody has entered the code yet.")
    }
  }
}

// MARK: - Refresh tokens

extension Grants {
  /// The first refresh token of a sign-in. `code` is the authorization code that led to it.
  func refreshToken(for grant: Grant, from code: String? = nil) throws(CryptographyError) -> String {
    let (name, token) = (try Self.random(16), try Self.random(32))
    state.withLock { state in
      state.families[name] = Family(grant: grant, current: token)
      if let code { state.codes[code]?.family = name }
    }
    return "\(name).\(token)"
  }

  /// Replaces a refresh token. One that was replaced before was copied, so the whole sign-in ends.
  func refresh(_ text: String) throws(EntraError) -> (Grant, next: String) {
    let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
    guard parts.count == 2, let new = try? Self.random(32) else { throw Self.unknownRefreshToken }
    let grant = state.withLock { state -> Grant? in
      guard let family = state.families[parts[0]] else { return nil }
      guard constantTimeEquals(Array(family.current.utf8), Array(parts[1].utf8)) else {
        state.families[parts[0]] = nil
        return nil
      }
      state.families[parts[0]]?.current = new
      return family.grant
    }
    guard let grant else { throw Self.unknownRefreshToken }
    return (grant, "\(parts[0]).\(new)")
  }

  private static let unknownRefreshToken = EntraError(
    "invalid_grant", 70000, "The refresh token is not known, was used before, or its sign-in has ended. Sign in again.")
}
