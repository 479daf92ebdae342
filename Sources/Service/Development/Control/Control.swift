import HTTP
import JSON
import SourceProtocol
import Support
import TenantService

/// Keeps the tenant and its registrations under names, and brings them back.
package protocol DevelopmentSnapshots: Sendable {
  var names: [String] { get throws(ControlFailure) }
  /// Keeps what is there, in place of what has the name.
  func save(_ name: String) async throws(ControlFailure)
  /// Brings back what was kept under a name, or without a name what the run began with. All of it or, after a failure,
  /// nothing; a process that is killed meanwhile finishes at its next start. Returns false if nothing has the name.
  func restore(_ name: String?) async throws(ControlFailure) -> Bool
  /// Returns false if nothing has the name.
  func delete(_ name: String) async throws(ControlFailure) -> Bool
  /// Serves what is in the folder and in the store now.
  func reload() async
}

/// Why a request to `/dev` is not carried out.
package struct ControlFailure: Error {
  let status: Int
  let code: String
  /// With the way out.
  package let message: String

  init(_ status: Int, _ code: String, _ message: String) {
    (self.status, self.code, self.message) = (status, code, message)
  }

  /// Something is wrong on the disk.
  package init(storage message: String) { self.init(507, "storageFailed", message) }

  /// The tenant's files are not such that they can be changed now.
  package init(tenant message: String) { self.init(409, "tenantUnsuitable", message) }

  var response: HTTPResponse {
    let body: JSONObject = ["error": ["code": .string(code), "message": .string(message)]]
    return HTTPResponse(status, json: Array(body.jsonText.utf8))
  }
}

/// Answers `/dev`: faults, snapshots, reset, the last requests. All of it demands the secret of the run.
final class Control: Sendable {
  private static let longestName = 100
  private static let mostSnapshots = 100
  private static let longestWait: Int64 = 25

  let faults = FaultBoard<FaultyPlace>()
  let ring = RequestRing()
  let gate = ExchangeGate()
  private let settings: DevelopmentSettings
  private let provider: IdentityProvider
  private let snapshots: any DevelopmentSnapshots
  private let log: @Sendable (String) -> Void

  init(
    _ settings: DevelopmentSettings, _ provider: IdentityProvider, _ snapshots: any DevelopmentSnapshots,
    log: @escaping @Sendable (String) -> Void
  ) {
    (self.settings, self.provider, self.snapshots, self.log) = (settings, provider, snapshots, log)
  }

  static func isControl(_ target: HTTPTarget?) -> Bool { target?.path.first == "dev" }

  func response(to request: HTTPRequest, at target: HTTPTarget) async -> HTTPResponse {
    guard settings.isSecret(request.headers.credentials("Bearer")) else {
      var response = ControlFailure(
        401, "unauthorized",
        "Send the secret of the run: Authorization: Bearer SECRET. mambridge-tenant dev-token --secret prints it."
      ).response
      response.headers["WWW-Authenticate"] = "Bearer"
      return response
    }
    do throws(ControlFailure) {
      let answer = try await answer(request, target)
      return answer.map { HTTPResponse(200, json: Array($0.jsonText.utf8)) } ?? HTTPResponse(204)
    } catch {
      return error.response
    }
  }

  /// `nil` for a change that is done.
  private func answer(_ request: HTTPRequest, _ target: HTTPTarget) async throws(ControlFailure) -> JSONObject? {
    let path = Array(target.path.dropFirst())
    switch (path.first, path.count) {
    case ("faults", 1): return try faults(request)
    case ("requests", 1): return try await requests(request, target)
    case ("sign-ins", 1):
      try Self.check(request, ["GET"])
      return signIns
    case ("snapshots", 1):
      try Self.check(request, ["GET"])
      return ["snapshots": .array(try snapshots.names.map(JSONValue.string))]
    case ("snapshots", 2):
      try await snapshot(path[1], request)
      return nil
    case ("reset", 1):
      try Self.check(request, ["POST"])
      try await restore(nil)
      return nil
    case ("reload", 1):
      try Self.check(request, ["POST"])
      await snapshots.reload()
      return nil
    default:
      throw ControlFailure(
        404, "notFound",
        "There is nothing at this path. Under /dev are faults, reload, requests, reset, sign-ins and snapshots.")
    }
  }

  private static func check(_ request: HTTPRequest, _ methods: [String]) throws(ControlFailure) {
    guard !methods.contains(request.method) else { return }
    throw ControlFailure(405, "methodNotAllowed", "Use \(methods.joined(separator: " or ")).")
  }
}

// MARK: - Faults

extension Control {
  private func faults(_ request: HTTPRequest) throws(ControlFailure) -> JSONObject? {
    try Self.check(request, ["GET", "PUT", "POST", "DELETE"])
    switch request.method {
    case "GET":
      let planted = faults.all
      let all = FaultyPlace.allCases.compactMap { place in planted[place].map { PlacedFault(place, $0) } }
      let kinds = FaultyPlace.allCases.map { ($0.rawValue, JSONValue.array($0.kinds.map { .string($0.rawValue) })) }
      return ["faults": .array(all.map(\.jsonValue)), "kinds": .object(JSONObject(kinds))]
    case "PUT":
      let all = try Self.decoded(request, FaultList.self).faults
      var planted: [FaultyPlace: PlantedFault] = [:]
      for (index, fault) in all.enumerated() {
        if let problem = fault.problem { throw Self.invalid("/faults/\(index)\(problem)") }
        guard planted.updateValue(fault.planted, forKey: fault.at) == nil else {
          throw Self.invalid("/faults/\(index)/at: a place has one fault at a time.")
        }
      }
      faults.replace(with: planted)
    case "POST":
      let fault = try Self.decoded(request, PlacedFault.self)
      if let problem = fault.problem { throw Self.invalid(problem) }
      faults.plant(fault.planted, at: fault.at)
    default: faults.replace(with: [:])
    }
    return nil
  }

  private struct FaultList: Record {
    var faults: [PlacedFault]
    static let fields = Fields(Self.init, Field("faults", \.faults, "All that there should be."))
  }

  private static func invalid(_ message: String) -> ControlFailure { ControlFailure(400, "badRequest", message) }

  private static func decoded<Body: Record>(
    _ request: HTTPRequest, _ type: Body.Type
  ) throws(ControlFailure) -> Body {
    do {
      return try Body.decode(JSONDocument(parsing: request.body).root)
    } catch let error as JSONParseError {
      throw invalid("The body is not JSON: \(error.description)")
    } catch let error as JSONDecodingError {
      throw invalid(error.message)
    } catch {
      throw invalid("\(error)")
    }
  }
}

// MARK: - Snapshots

extension Control {
  private func snapshot(_ name: String, _ request: HTTPRequest) async throws(ControlFailure) {
    try Self.check(request, ["PUT", "POST", "DELETE"])
    let isName =
      (1...Self.longestName).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isAlphanumeric || [UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0) }
    guard isName else {
      throw Self.invalid("The name of a snapshot has 1 to \(Self.longestName) letters, digits, - and _.")
    }
    switch request.method {
    case "PUT":
      let names = try snapshots.names
      guard names.contains(name) || names.count < Self.mostSnapshots else {
        throw ControlFailure(
          409, "tooMany", "There are \(Self.mostSnapshots) snapshots, and no more are kept. Delete one.")
      }
      try await exchanging { () async throws(ControlFailure) in try await self.snapshots.save(name) }
    case "POST": try await restore(name)
    default:
      guard try await snapshots.delete(name) else { throw try missing(name) }
    }
  }

  /// Faults and sign-ins are not kept, so they end.
  private func restore(_ name: String?) async throws(ControlFailure) {
    let isThere = try await exchanging { () async throws(ControlFailure) in
      guard try await self.snapshots.restore(name) else { return false }
      self.faults.replace(with: [:])
      self.provider.grants.clear()
      return true
    }
    guard isThere else { throw try missing(name ?? "") }
    log(name.map { "restored the snapshot \($0)" } ?? "reset to what this run began with")
  }

  private func missing(_ name: String) throws(ControlFailure) -> ControlFailure {
    let nearest = try snapshots.names.nearest(to: name).map { "Did you mean \($0)?" }
    return ControlFailure(
      404, "notFound", "There is no snapshot \(name). " + (nearest ?? "PUT /dev/snapshots/\(name) makes one."))
  }

  private func exchanging<Value: Sendable>(
    _ body: @Sendable () async throws(ControlFailure) -> Value
  ) async throws(ControlFailure) -> Value {
    try await gate.exchange { () async -> Result<Value, ControlFailure> in
      do throws(ControlFailure) { return .success(try await body()) } catch { return .failure(error) }
    }.get()
  }
}

// MARK: - What happens

extension Control {
  private func requests(_ request: HTTPRequest, _ target: HTTPTarget) async throws(ControlFailure) -> JSONObject {
    try Self.check(request, ["GET"])
    let since = target["since"] ?? "0"
    let wait = target["wait"] ?? "0"
    guard let number = Int64(since), number >= 0 else { throw Self.invalid("since must be a number of a request.") }
    guard let seconds = Int64(wait), (0...Self.longestWait).contains(seconds) else {
      throw Self.invalid("wait must be 0 to \(Self.longestWait) seconds.")
    }
    return await ring.entries(after: number, wait: .seconds(seconds))
  }

  /// The device codes that wait for a person.
  private var signIns: JSONObject {
    let waiting = provider.grants.waiting(at: provider.clock.now).map { code -> JSONValue in
      [
        "userCode": .string(code.userCode), "scope": .string(code.scope.granted),
        "expires": .string(code.expires.description),
      ]
    }
    return ["signIns": .array(waiting)]
  }
}
