import Cryptography
import HTTP
import JSON
import Support

/// Tokens for a program that signs in as itself (client credentials, RFC 6749 section 4.4).
package actor ClientCredentials: GraphTokens {
  /// What proves the identity of the program.
  package enum Proof: Sendable {
    case secret(String)
    /// Signs an assertion (RFC 7523) with the key of a certificate that the app's registration lists.
    case certificate(SigningKey, thumbprint: [UInt8])
  }

  /// A token is not used in the last minutes of its life, so that it does not end on its way.
  private static let reserve: Int64 = 5 * 60_000
  private static let patience = Duration.seconds(60)
  private static let attempts = 4
  private static let largestBody = 1 << 20
  private static let assertionSeconds: Int64 = 600

  private let endpoint: String
  private let clientId: String
  private let proof: Proof
  private let scope: String
  private let http: any HTTPClient
  private let clock: any Clock
  private let sleep: @Sendable (Duration) async throws -> Void
  private var current: (token: String, usableUntil: Timestamp)?

  /// `authority` and `directory` make the token endpoint as Microsoft Entra has it,
  /// `AUTHORITY/DIRECTORY/oauth2/v2.0/token`. The token is for `resource`, an origin.
  package init(
    authority: String, directory: String, clientId: String, proof: Proof, resource: String, http: any HTTPClient,
    clock: any Clock = SystemClock(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    let base = authority.hasSuffix("/") ? String(authority.dropLast()) : authority
    endpoint = "\(base)/\(directory.percentEncoded)/oauth2/v2.0/token"
    scope = "\(resource)/.default"
    (self.clientId, self.proof, self.http, self.clock, self.sleep) = (clientId, proof, http, clock, sleep)
  }

  package func token(after refusal: TokenRefused?) async throws(GraphFailure) -> String {
    if refusal == nil, let current, clock.now < current.usableUntil { return current.token }
    let response = try await answer(claims: refusal?.claims)
    guard response.status == 200 else { throw failure(response) }
    guard !response.isWebPage else {
      throw GraphFailure(.signIn, HTTPResponse.webPageText(from: endpoint, status: response.status))
    }
    guard let value = try? JSONValue(parsing: response.body), let token = value["access_token"]?.stringValue,
      token.isHeaderText
    else { throw GraphFailure(.signIn, "\(endpoint): the answer has no access_token.") }
    let life = value["expires_in"].flatMap { $0.integerValue ?? $0.stringValue.flatMap { Int64($0) } } ?? 0
    let usable = max(0, min(life, 1 << 31) * 1000 - Self.reserve)
    current = (token, clock.now.advanced(by: usable))
    return token
  }

  private func answer(claims: String?) async throws(GraphFailure) -> HTTPResponse {
    var backOff = BackOff()
    for attempt in 1... {
      let (failure, asked): (GraphFailure, Duration?)
      do throws(HTTPFailure) {
        let response = try await http.send(
          try request(claims: claims), patience: Self.patience, largestBody: Self.largestBody)
        guard response.status == 429 || (500..<600).contains(response.status) else { return response }
        (failure, asked) = (self.failure(response), response.headers.retryAfter(at: clock.now))
      } catch {
        failure = GraphFailure(.unavailable, "\(endpoint): \(error.text)")
        guard error.kind == .late || error.kind == .cutOff else { throw failure }
        asked = nil
      }
      guard attempt < Self.attempts, asked ?? .zero <= .seconds(120) else { throw failure }
      do { try await sleep(max(asked ?? .zero, backOff.next())) } catch { throw failure }
    }
    throw GraphFailure(.unavailable, "\(endpoint) does not answer.")
  }

  private func request(claims: String?) throws(HTTPFailure) -> HTTPRequest {
    var fields = [("grant_type", "client_credentials"), ("client_id", clientId), ("scope", scope)]
    switch proof {
    case .secret(let secret): fields.append(("client_secret", secret))
    case .certificate(let key, let thumbprint):
      fields.append(("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"))
      do throws(CryptographyError) {
        fields.append(("client_assertion", try assertion(key, thumbprint)))
      } catch {
        throw HTTPFailure(.notTrusted, "the key of the certificate cannot sign: \(error.description)")
      }
    }
    if let claims { fields.append(("claims", claims)) }
    return .form(endpoint, fields)
  }

  /// A token that the program signs itself, valid for minutes and for this endpoint only.
  private func assertion(_ key: SigningKey, _ thumbprint: [UInt8]) throws(CryptographyError) -> String {
    let now = clock.now.milliseconds / 1000
    let header: JSONValue = [
      "alg": .string(SigningKey.Algorithm.ps256.rawValue), "typ": "JWT",
      "x5t#S256": .string(Base64URL.encode(thumbprint)),
    ]
    let claims: JSONValue = [
      "aud": .string(endpoint), "iss": .string(clientId), "sub": .string(clientId), "jti": .string(.randomUUID),
      "iat": .integer(now), "nbf": .integer(now - 60), "exp": .integer(now + Self.assertionSeconds),
    ]
    let parts = [header, claims].map { Base64URL.encode(Array($0.jsonText.utf8)) }.joined(separator: ".")
    return parts + "." + Base64URL.encode(try key.sign(Array(parts.utf8), .ps256))
  }

  private func failure(_ response: HTTPResponse) -> GraphFailure {
    let value = try? JSONValue(parsing: response.body)
    let code = value?["error"]?.stringValue ?? "status \(response.status)"
    let reason = value?["error_description"]?.stringValue.map { ": " + $0.shown(atMost: 400) } ?? ""
    let kind: GraphFailure.Kind = response.status < 500 && response.status != 429 ? .signIn : .unavailable
    return GraphFailure(kind, "\(endpoint) gives no token: \(code.shown(atMost: 100))\(reason)")
  }
}

extension ClientCredentials.Proof {
  /// Reads a text in PEM with a certificate and its private key. Throws if one of them is missing, or if they do not
  /// belong together.
  package static func certificate(pem: [UInt8], file: String) throws(GraphFailure) -> ClientCredentials.Proof {
    let (key, certificate, thumbprint): (SigningKey, Certificate, [UInt8])
    do throws(CryptographyError) {
      (key, certificate) = (try SigningKey(pem: pem), try Certificate(pem: pem))
      thumbprint = try certificate.thumbprint()
    } catch {
      throw GraphFailure(
        .signIn,
        "\(file) cannot be used: \(error.description). It must have a certificate and its RSA key, unencrypted, in PEM."
      )
    }
    guard key.belongs(to: certificate) else {
      throw GraphFailure(.signIn, "\(file): the private key does not belong to the first certificate.")
    }
    return .certificate(key, thumbprint: thumbprint)
  }
}

extension String {
  /// Whether the text can be in a header without changing it.
  package var isHeaderText: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
