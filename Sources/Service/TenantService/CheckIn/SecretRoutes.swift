import Cryptography
import Database
import HTTP
import Support

/// What the secret of a registration alone permits: reports, leaving, and waiting for changes.
struct SecretRoutes: Sendable {
  /// The authentication scheme of a secret: `Authorization: Registration BASE64`.
  static let scheme = "Registration"

  let parts: ServiceParts

  /// `POST /mam/v1/registrations/{id}/operations/{operation}`. A report may come twice, and after others.
  func report(
    _ report: OperationReport, on operation: String, from registration: String, _ headers: HTTPHeaders
  ) async throws(Problem) -> HTTPResponse {
    let known = try await authenticated(registration, headers)
    guard let operation = WireIdentifier(operation)?.text else { throw Self.noOperation }
    let now = try await parts.timeOfStore()
    let isTarget = try await parts.store { store throws(DatabaseError) in
      try await store.database.write { session throws(DatabaseError) in
        guard try session.targets(operation, known.id) else { return false }
        try session.take(report, on: operation, from: known, at: now)
        return true
      }
    }
    guard isTarget else { throw Self.noOperation }
    return HTTPResponse(200, json: Array("{}".utf8))
  }

  private static let noOperation = Problem(.notFound, "the registration has no such operation")

  /// `DELETE /mam/v1/registrations/{id}`. May come twice.
  func leave(_ registration: String, _ headers: HTTPHeaders) async throws(Problem) -> HTTPResponse {
    let known = try await authenticated(registration, headers)
    let now = try await parts.timeOfStore()
    if known.endReason != .left {
      try await parts.store { store throws(DatabaseError) in
        try await store.database.write { session throws(DatabaseError) in
          try session.end(known.id, at: now)
          try session.append(AuditEntry(now, known.userId, .leave, known.id))
        }
      }
    }
    return HTTPResponse(204)
  }

  /// Whether the registration does not exist or has another secret is not said.
  private func authenticated(_ id: String, _ headers: HTTPHeaders) async throws(Problem) -> Registration {
    guard let secret = headers.credentials(Self.scheme).flatMap(RegistrationSecret.init) else {
      throw .unauthorized(Self.scheme)
    }
    let unknown = Problem(.notFound, "there is no such registration")
    guard let id = WireIdentifier(id)?.text else { throw unknown }
    let hash = try parts.hash(of: secret)
    let known = try await parts.registration(id)
    guard let known, constantTimeEquals(known.secretHash, hash) else { throw unknown }
    try parts.limit(.registration(known.id))
    return known
  }
}

extension DatabaseSession {
  fileprivate func take(
    _ report: OperationReport, on operation: String, from known: Registration, at now: Timestamp
  ) throws(DatabaseError) {
    switch report.outcome {
    case .done:
      guard try complete(operation, in: known.id, outcome: "done", at: now) else { return }
      try append(AuditEntry(now, known.userId, .complete, "\(operation) in \(known.id)"))
    case .failed:
      try noteFailure(of: operation, in: known.id, outcome: report.reason?.text ?? "failed", at: now)
    }
  }
}
