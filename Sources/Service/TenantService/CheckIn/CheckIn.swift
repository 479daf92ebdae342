import Cryptography
import Database
import JSON
import Model
import SourceProtocol
import Support
import Tenancy

/// Answers `POST /mam/v1/check-in`.
struct CheckIn: Sendable {
  enum Outcome: String, CaseIterable, Sendable {
    case delivered, notModified, userUnknown, userDisabled, userDeleted, notLicensed
  }

  let parts: ServiceParts
  let edition: TenantEdition
  let request: CheckInRequest
  let now: Timestamp

  /// The body of the answer. Policies need the user's token. Pending operations need the secret of the registration alone,
  /// so that the account of somebody who may no longer sign in is wiped.
  func answer(_ authorization: Authorization) async throws(Problem) -> [UInt8] {
    let hash = try parts.hash(of: request.registration.secret)
    let known = try await parts.registration(request.registration.id.text)
    let isOwn = known.map { constantTimeEquals($0.secretHash, hash) }
    let own = isOwn == true ? known : nil
    guard let caller = authorization.caller else {
      guard let own else { throw parts.refusal(of: authorization) }
      return try await bySecret(own, orElse: parts.refusal(of: authorization))
    }
    guard isOwn != false else { throw Problem(.forbidden, "the registration has another secret") }
    do throws(Problem) {
      return try await answer(to: caller, own, hash)
    } catch {
      // A token that does not fit must not keep away what the host would get without it.
      guard error.code == .forbidden, let own else { throw error }
      return try await bySecret(own, orElse: error)
    }
  }

  private func answer(to caller: Caller, _ own: Registration?, _ hash: [UInt8]) async throws(Problem) -> [UInt8] {
    switch try user(of: caller, own) {
    case .listed(let user):
      try parts.limit(.user(user.id.lowercasedASCII))
      return try await answer(to: user, own, hash)
    case .unknown(let id):
      try parts.limit(.user(id))
      return try await answer(.userUnknown, own, user: nil)
    }
  }

  /// Throws `forbidden` if the token is not for the account, or the registration belongs to another account.
  private func user(of caller: Caller, _ own: Registration?) throws(Problem) -> MatchedUser {
    let match = CallerMatch(edition: edition, userClaim: parts.options.userClaim, known: own)
    let user = try match.user(of: caller, asking: request.account)
    let id =
      switch user {
      case .listed(let user): user.id.lowercasedASCII
      case .unknown(let id): id
      }
    guard own.map({ $0.userId == id && $0.tenantId == edition.tenantId }) ?? true else {
      throw Problem(.forbidden, "the registration is for another account")
    }
    return user
  }

  private func answer(to user: TenantUser, _ known: Registration?, _ hash: [UInt8]) async throws(Problem) -> [UInt8] {
    let description = edition.description(of: user)
    guard !user.isDeleted else { return try await answer(.userDeleted, known, user: description) }
    guard user.isEnabled else { return try await answer(.userDisabled, known, user: description) }
    guard user.isLicensed else { return try await answer(.notLicensed, known, user: description) }
    let delivery = try parts.orFail { () throws(CryptographyError) in
      try edition.delivery(
        to: user, app: request.app.id.text, on: request.device.platform.platform, request.device.filtered,
        blocksUnknown: parts.options.blocksUnknownRestrictions)
    }
    let registration = registration(of: user, known, hash, etag: delivery.etag)
    let isKnown = known.map { $0.ended == nil && $0.isAtSamePlace(as: registration) } ?? false
    let state = try await isKnown ? note(registration, etag: delivery.etag) : enroll(registration)
    let isUnchanged = request.etag?.text == delivery.etag
    return answer(
      isUnchanged ? .notModified : .delivered, state, user: description, delivery: delivery)
  }

  /// About a user that gets no policies.
  private func answer(_ outcome: Outcome, _ known: Registration?, user: JSONObject?) async throws(Problem) -> [UInt8] {
    guard let known else { return answer(outcome, try await unregistered(), user: user) }
    let state = try await note(seen(known), etag: nil)
    // A host needs to know the user to carry out an operation.
    guard user == nil, state.isWipeOrdered else { return answer(outcome, state, user: user) }
    return answer(.notModified, state, user: description(of: known))
  }

  /// What the secret alone permits: pending operations, or that they are on hold. Throws the refusal if there are none;
  /// it then says whether wipes are on hold.
  private func bySecret(_ known: Registration, orElse refusal: Problem) async throws(Problem) -> [UInt8] {
    try parts.limit(.registration(known.id))
    let state = try await note(seen(known), etag: nil)
    guard state.isWipeOrdered else { throw refusal.saying(hold: state.answeredHold) }
    return answer(.notModified, state, user: description(of: known))
  }

  /// What a registration has to carry out, and its revision.
  fileprivate struct RegistrationState: Sendable {
    let revision: Int64
    /// Whether a wipe is ordered, delivered or on hold.
    let isWipeOrdered: Bool
    /// None while wipes are on hold.
    let operations: [TargetedOperation]
    let hold: StoredHold?

    init(revision: Int64 = 0, isWipeOrdered: Bool = false, operations: [TargetedOperation] = [], hold: StoredHold?) {
      (self.revision, self.isWipeOrdered) = (revision, isWipeOrdered)
      (self.operations, self.hold) = (hold == nil ? operations : [], hold)
    }
  }

  private func unregistered() async throws(Problem) -> RegistrationState {
    RegistrationState(
      hold: try await parts.store { store throws(DatabaseError) in try await store.wipeHold() })
  }

  private func enroll(_ registration: Registration) async throws(Problem) -> RegistrationState {
    try parts.limitEnrollments(of: registration.userId)
    let most = parts.options.registrationsOfUser
    let enrollment = try await parts.store { store throws(DatabaseError) in
      do throws(DatabaseError) {
        return try await Self.enroll(registration, atMost: most, in: store)
      } catch {
        // Another registration came to the same place at the same time. Now it is there, and is replaced.
        guard error.reason == .constraint else { throw error }
        return try await Self.enroll(registration, atMost: most, in: store)
      }
    }
    switch enrollment {
    case .done(let state):
      parts.metrics.count(.enrollment)
      return state
    case .otherSecret: throw Problem(.forbidden, "the registration has another secret")
    case .tooMany:
      parts.metrics.count(.refusedEnrollment)
      throw Problem(
        .forbidden,
        "the user has \(most) registrations already; unenroll some, or ask the administrator to raise the limit")
    }
  }

  private enum Enrollment: Sendable {
    case done(RegistrationState)
    /// The registration is known with another secret.
    case otherSecret
    /// The user has too many others.
    case tooMany
  }

  private static func enroll(
    _ registration: Registration, atMost most: Int, in store: TenantStore
  ) async throws(DatabaseError) -> Enrollment {
    try await store.database.write { session throws(DatabaseError) in
      if let found = try session.registration(registration.id), found.secretHash != registration.secretHash {
        return .otherSecret
      }
      try session.takeTurn(of: registration.userId)
      guard try session.registrationCount(besides: registration) < most else { return .tooMany }
      let replaced = try session.enroll(registration)
      try session.auditEnrollment(of: registration, replacing: replaced)
      return .done(try state(of: registration.id, session))
    }
  }

  private func note(_ registration: Registration, etag: String?) async throws(Problem) -> RegistrationState {
    try await parts.store { store throws(DatabaseError) in
      try await store.database.writeInGroup { session throws(DatabaseError) in
        let noted = try session.noteCheckIn(
          of: registration.id, facts: registration.facts, applied: registration.applied, etag: etag,
          at: registration.lastSync)
        guard let noted else { return RegistrationState(hold: try session.wipeHold()) }
        let isDelivered = noted.pendingCount > 0 && noted.hold == nil
        return RegistrationState(
          revision: noted.revision, isWipeOrdered: noted.pendingCount > 0,
          operations: isDelivered ? try session.pendingOperations(of: registration.id) : [], hold: noted.hold)
      }
    }
  }

  private static func state(
    of registration: String, _ session: any DatabaseSession
  ) throws(DatabaseError) -> RegistrationState {
    let operations = try session.pendingOperations(of: registration)
    return RegistrationState(
      revision: try session.registration(registration)?.revision ?? 0, isWipeOrdered: !operations.isEmpty,
      operations: operations, hold: try session.wipeHold())
  }
}

extension CheckIn.RegistrationState {
  /// Null if wipes are not on hold. Does not say who ordered the hold, which is no business of hosts.
  fileprivate var answeredHold: JSONValue {
    hold.map { AnsweredHold(why: $0.why, since: $0.since.description, ordered: isWipeOrdered).jsonValue } ?? .null
  }
}

extension DatabaseSession {
  fileprivate func auditEnrollment(
    of registration: Registration, replacing replaced: String?
  ) throws(DatabaseError) {
    let (time, user) = (registration.lastSync, registration.userId)
    try append(AuditEntry(time, user, .enroll, "\(registration.id) of \(user) in \(registration.appId)"))
    guard let replaced else { return }
    try append(AuditEntry(time, user, .replace, "\(replaced) on \(registration.deviceTag) by \(registration.id)"))
  }
}

extension Registration {
  fileprivate func isAtSamePlace(as other: Registration) -> Bool {
    appId == other.appId && deviceTag == other.deviceTag
  }
}

extension WireDevice {
  /// What filters compare. A word that this version does not know counts as not reported.
  fileprivate var filtered: FilterDevice {
    FilterDevice(
      managementType: managementType.flatMap { ManagementType(rawValue: $0.text) } ?? .notReported,
      manufacturer: (manufacturer?.text).nonEmpty, model: (model?.text).nonEmpty, osVersion: (osVersion?.text).nonEmpty)
  }
}

/// What is stored of a request.
extension CheckIn {
  private func registration(
    of user: TenantUser, _ known: Registration?, _ hash: [UInt8], etag: String
  ) -> Registration {
    let id = request.registration.id.text
    var facts = facts(known, userPrincipalName: user.userPrincipalName, displayName: user.displayName)
    facts = facts.updated(by: [RegistrationFacts.edition: .integer(edition.generation)])
    return Registration(
      id: id, secretHash: hash, tenantId: edition.tenantId, userId: user.id.lowercasedASCII,
      appId: request.app.id.text, deviceTag: request.device.tag?.text ?? id,
      facts: facts, applied: applied, etag: etag, created: known?.created ?? now, lastSync: now)
  }

  /// The registration with what this request says about the app and the device.
  private func seen(_ known: Registration) -> Registration {
    var seen = known
    seen.facts = facts(known, userPrincipalName: known.facts.userPrincipalName, displayName: known.facts.displayName)
    seen.applied = applied
    seen.lastSync = now
    return seen
  }

  private var applied: [PolicyVersion] {
    request.applied.elements.map { PolicyVersion(id: $0.id.text, version: $0.version?.text) }
  }

  private func facts(_ known: Registration?, userPrincipalName: String, displayName: String) -> RegistrationFacts {
    func text(_ line: WireLine?) -> JSONValue { .string(line?.text ?? "") }
    return (known?.facts ?? RegistrationFacts([:])).updated(by: [
      "userPrincipalName": .string(userPrincipalName), "displayName": .string(displayName),
      "appVersion": text(request.app.version), "sdkVersion": text(request.app.sdkVersion),
      "deviceName": text(request.device.name), "platform": .string(request.device.platform.rawValue),
      "osVersion": text(request.device.osVersion), "manufacturer": text(request.device.manufacturer),
      "model": text(request.device.model), "managementType": text(request.device.managementType),
      "jailbroken": .bool(request.device.jailbroken ?? false),
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
    _ outcome: Outcome, _ state: RegistrationState, user: JSONObject?, delivery: WrittenDelivery? = nil
  ) -> [UInt8] {
    parts.metrics.count(.checkIn(outcome))
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("version", WireVersion.number)
    writer.member("outcome", outcome.rawValue)
    if let delivery { writer.member("etag", delivery.etag) }
    writer.member("revision", Revision(generation: edition.generation, count: state.revision).number)
    writer.member("nextCheckIn", Int.random(in: parts.options.checkInInterval))
    writer.member("push", !parts.hub.isFull)
    if let user { writer.member("user", user) }
    writer.member("operations", state.operations.map(Self.description))
    writer.member(SourceAnswer.hold.name, state.answeredHold)
    var bytes = writer.bytes
    if outcome == .delivered, let delivery { bytes += Array(",".utf8) + delivery.json }
    return bytes + Array("}".utf8)
  }

  private static func description(of target: TargetedOperation) -> JSONValue {
    ["id": .string(target.operation.id), "type": .string(target.operation.kind.rawValue)]
  }
}
