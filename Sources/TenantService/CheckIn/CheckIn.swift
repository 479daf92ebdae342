import Cryptography
import Database
import JSON
import Model
import Support
import Tenancy

/// Answers `POST /mam/v1/check-in`.
struct CheckIn: Sendable {
  enum Outcome: String, CaseIterable, Sendable {
    case delivered, notModified, userUnknown, userDisabled, notLicensed
  }

  let services: ServiceParts
  let edition: TenantEdition
  let request: CheckInRequest
  let now: Timestamp

  /// The body of the answer. Policies need the user's token. Pending operations need the secret of the registration alone,
  /// so that the account of somebody who may no longer sign in is wiped.
  func answer(_ authorization: Authorization) async throws(Problem) -> [UInt8] {
    let hash = try services.hash(of: request.registration.secret)
    let known = try await services.registration(request.registration.id.text)
    let isOwn = known.map { constantTimeEquals($0.secretHash, hash) }
    guard let caller = authorization.caller else {
      guard isOwn == true, let known else { throw services.refusal(of: authorization) }
      return try await withoutToken(known, authorization)
    }
    let match = CallerMatch(edition: edition, userClaim: services.options.userClaim)
    let user = try match.user(of: caller, asking: request.account)
    guard isOwn != false else { throw Problem(.forbidden, "the registration has another secret") }
    switch user {
    case .listed(let user):
      try services.limit(user.id)
      return try await answer(to: user, known, hash)
    case .unknown(let objectId):
      try services.limit(objectId)
      guard known.map({ $0.userId == objectId && $0.tenantId == edition.tenantId }) ?? true else { throw Self.foreign }
      return try await answer(.userUnknown, known, user: nil)
    }
  }

  private static let foreign = Problem(.forbidden, "the registration is for another account")

  private func answer(to user: TenantUser, _ known: Registration?, _ hash: [UInt8]) async throws(Problem) -> [UInt8] {
    let id = user.id.lowercasedASCII
    guard known.map({ $0.userId == id && $0.tenantId == edition.tenantId }) ?? true else { throw Self.foreign }
    let description = edition.description(of: user)
    guard user.isEnabled else { return try await answer(.userDisabled, known, user: description) }
    guard user.isLicensed else { return try await answer(.notLicensed, known, user: description) }
    let delivery = try services.trap { () throws(CryptographyError) in
      try edition.delivery(to: user, app: request.app.id.text, on: request.device.platform.platform)
    }
    let registration = registration(of: user, known, hash, etag: delivery.etag)
    let isKnown = known.map { $0.ended == nil && $0.isAtSamePlace(as: registration) } ?? false
    let state =
      try await isKnown ? note(registration, etag: delivery.etag) : enroll(registration)
    let isUnchanged = request.etag?.text == delivery.etag
    return answer(
      isUnchanged ? .notModified : .delivered, state, user: description, delivery: delivery)
  }

  /// About a user that gets no policies.
  private func answer(_ outcome: Outcome, _ known: Registration?, user: JSONObject?) async throws(Problem) -> [UInt8] {
    guard let known else { return answer(outcome, .empty, user: user) }
    let state = try await note(seen(known), etag: nil)
    // A host needs to know the user to carry out an operation.
    guard user == nil, !state.operations.isEmpty else { return answer(outcome, state, user: user) }
    return answer(.notModified, state, user: description(of: known))
  }

  private func withoutToken(
    _ known: Registration, _ authorization: Authorization
  ) async throws(Problem) -> [UInt8] {
    try services.limit(known.id)
    let state = try await note(seen(known), etag: nil)
    guard !state.operations.isEmpty else { throw services.refusal(of: authorization) }
    return answer(.notModified, state, user: description(of: known))
  }

  /// What a registration has to carry out, and its revision.
  private struct RegistrationState: Sendable {
    static let empty = RegistrationState(revision: 0, operations: [])

    let revision: Int64
    let operations: [TargetedOperation]
  }

  private func enroll(_ registration: Registration) async throws(Problem) -> RegistrationState {
    let state = try await services.store { store throws(DatabaseError) in
      do throws(DatabaseError) {
        return try await Self.enroll(registration, in: store)
      } catch {
        // Another registration came to the same place at the same time. Now it is there, and is replaced.
        guard error.reason == .constraint else { throw error }
        return try await Self.enroll(registration, in: store)
      }
    }
    guard let state else { throw Problem(.forbidden, "the registration has another secret") }
    services.metrics.count(.enrollment)
    return state
  }

  /// `nil` if the registration is known with another secret.
  private static func enroll(
    _ registration: Registration, in store: TenantStore
  ) async throws(DatabaseError) -> RegistrationState? {
    try await store.database.write { session throws(DatabaseError) in
      if let found = try session.registration(registration.id), found.secretHash != registration.secretHash {
        return nil
      }
      try session.enroll(registration)
      let subject = "\(registration.id) of \(registration.userId) in \(registration.appId)"
      try session.append(AuditEntry(registration.lastSync, registration.userId, .enroll, subject))
      return try state(of: registration.id, session)
    }
  }

  private func note(_ registration: Registration, etag: String?) async throws(Problem) -> RegistrationState {
    try await services.store { store throws(DatabaseError) in
      try await store.database.writeInGroup { session throws(DatabaseError) in
        let noted = try session.noteCheckIn(
          of: registration.id, facts: registration.facts, applied: registration.applied, etag: etag,
          at: registration.lastSync)
        guard let noted else { return .empty }
        return RegistrationState(
          revision: noted.revision,
          operations: noted.pendingCount > 0 ? try session.pendingOperations(of: registration.id) : [])
      }
    }
  }

  private static func state(
    of registration: String, _ session: any DatabaseSession
  ) throws(DatabaseError) -> RegistrationState {
    RegistrationState(
      revision: try session.registration(registration)?.revision ?? 0,
      operations: try session.pendingOperations(of: registration))
  }
}

extension Registration {
  fileprivate func isAtSamePlace(as other: Registration) -> Bool {
    appId == other.appId && deviceTag == other.deviceTag
  }
}

/// What is stored of a request.
extension CheckIn {
  private func registration(
    of user: TenantUser, _ known: Registration?, _ hash: [UInt8], etag: String
  ) -> Registration {
    let id = request.registration.id.text
    return Registration(
      id: id, secretHash: hash, tenantId: edition.tenantId, userId: user.id.lowercasedASCII,
      appId: request.app.id.text, deviceTag: request.device.tag?.text ?? id,
      facts: facts(userPrincipalName: user.userPrincipalName, displayName: user.displayName), applied: applied,
      etag: etag, created: known?.created ?? now, lastSync: now)
  }

  /// The registration with what this request says about the app and the device.
  private func seen(_ known: Registration) -> Registration {
    var seen = known
    seen.facts = facts(userPrincipalName: known.facts.userPrincipalName, displayName: known.facts.displayName)
    seen.applied = applied
    seen.lastSync = now
    return seen
  }

  private var applied: [AppliedPolicy] {
    request.applied.elements.map { AppliedPolicy(id: $0.id.text, version: $0.version?.text) }
  }

  private func facts(userPrincipalName: String, displayName: String) -> RegistrationFacts {
    func text(_ line: WireLine?) -> JSONValue { .string(line?.text ?? "") }
    return RegistrationFacts([
      "userPrincipalName": .string(userPrincipalName), "displayName": .string(displayName),
      "appVersion": text(request.app.version), "sdkVersion": text(request.app.sdkVersion),
      "deviceName": text(request.device.name), "platform": .string(request.device.platform.rawValue),
      "osVersion": text(request.device.osVersion), "manufacturer": text(request.device.manufacturer),
      "model": text(request.device.model), "jailbroken": .bool(request.device.jailbroken ?? false),
      "health": .array(request.health.elements.map { .string($0.text) }),
    ])
  }
}

/// The answer.
extension CheckIn {
  /// The user of a registration, whom the tenant may not list any longer.
  private func description(of known: Registration) -> JSONObject {
    if let user = edition.user(known.userId) { return edition.description(of: user) }
    return [
      "id": .string(known.userId), "tenantId": .string(known.tenantId),
      "userPrincipalName": .string(known.facts.userPrincipalName), "displayName": .string(known.facts.displayName),
      "mail": .null, "clock": .null,
    ]
  }

  private func answer(
    _ outcome: Outcome, _ state: RegistrationState, user: JSONObject?, delivery: Delivery? = nil
  ) -> [UInt8] {
    services.metrics.count(.checkIn(outcome))
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("version", WireVersion.number)
    writer.member("outcome", outcome.rawValue)
    if let delivery { writer.member("etag", delivery.etag) }
    writer.member("revision", edition.generation + state.revision)
    writer.member("nextCheckIn", Int.random(in: services.options.checkInInterval))
    writer.member("push", !services.hub.isFull)
    if let user { writer.member("user", user) }
    writer.member("operations", state.operations.map(Self.description))
    var bytes = writer.bytes
    if outcome == .delivered, let delivery { bytes += Array(",".utf8) + delivery.json }
    return bytes + Array("}".utf8)
  }

  private static func description(of target: TargetedOperation) -> JSONValue {
    ["id": .string(target.operation.id), "type": .string(target.operation.kind.rawValue)]
  }
}
