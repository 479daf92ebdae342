import Database
import HTTP
import JSON
import Tenancy

extension TenantService {
  /// What a host needs before its first check-in.
  var description: HTTPResponse {
    let options = parts.options
    let authentication =
      options.authentication ?? parts.served.edition?.tenant.authentication ?? options.usualAuthentication
    let body: JSONObject = [
      "name": .string(options.name), "version": .integer(WireVersion.number),
      "authentication": authentication.map { .object($0.description) } ?? .null, "push": true,
    ]
    return HTTPResponse(200, json: Array(body.jsonText.utf8))
  }

  /// Fails only without any tenant, or without the store: an old tenant is better than none.
  var ready: HTTPResponse {
    get async {
      let edition = parts.served.edition
      let isStoreReachable = await isStoreReachable
      let isReady = edition != nil && isStoreReachable
      let body: JSONObject = [
        "status": isReady ? "ready" : "notReady", "store": .bool(isStoreReachable),
        "generation": edition.map { .integer($0.generation) } ?? .null,
        "published": edition.map { .string($0.published.description) } ?? .null,
        "isCurrent": .bool(parts.served.problem == nil), "heldRemovals": .integer(Int64(edition?.held.count ?? 0)),
        "isMaintenanceHeld": .bool(parts.maintenance.state?.isHeld ?? false),
        "clockAlarm": parts.maintenance.state?.alarm.map { .string($0.description) } ?? .null,
      ]
      var response = HTTPResponse(isReady ? 200 : 503, json: Array(body.jsonText.utf8))
      if !isReady { response.headers["Retry-After"] = String(parts.options.retryAfter) }
      return response
    }
  }

  private var isStoreReachable: Bool {
    get async {
      do throws(DatabaseError) {
        return try await parts.tenants.database.read { session throws(DatabaseError) in
          try session.row("SELECT 1") != nil
        }
      } catch { return false }
    }
  }

  package var metricsText: String {
    let (edition, maintenance) = (parts.served.edition, parts.maintenance.state)
    return parts.metrics.text(gauges: [
      ("mambridge_open_polls", "Hosts that wait for changes.", Int64(parts.hub.count)),
      (
        "mambridge_tenant_generation", "The version of the tenant that is served; 0 for none.", edition?.generation ?? 0
      ),
      (
        "mambridge_tenant_published_seconds", "When that version was published, since 1970.",
        (edition?.published.milliseconds ?? 0) / 1000
      ),
      (
        "mambridge_tenant_problem", "1 if the source of the tenant cannot be used, so that an old version is served.",
        parts.served.problem == nil ? 0 : 1
      ),
      (
        "mambridge_held_removals",
        "Users, policies, groups and the like that the tenant keeps although its source no longer has them.",
        Int64(edition?.held.count ?? 0)
      ),
      (
        "mambridge_ignored_operations", "Operations of the tenant that order nothing: the user is unknown.",
        Int64(edition?.ignoredOperations.count ?? 0)
      ),
      (
        "mambridge_maintenance_held", "1 if the clock may have jumped, so that nothing ends or is deleted for now.",
        maintenance?.isHeld == true ? 1 : 0
      ),
      (
        "mambridge_clock_alarm_seconds", "When the clock last jumped, since 1970; 0 for never.",
        (maintenance?.alarm?.milliseconds ?? 0) / 1000
      ),
    ])
  }
}

extension TenantAuthentication {
  fileprivate var description: JSONObject {
    [
      "authority": .string(authority), "resource": .string(resource), "scopes": .array(scopes.map(JSONValue.string)),
      "clientId": clientId.map(JSONValue.string) ?? .null,
    ]
  }
}
