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

  /// Fails only without any tenant, if the store takes no writes, or after the end of the certificate, which no host
  /// accepts any longer: an old tenant is better than none.
  var ready: HTTPResponse {
    get async {
      let edition = parts.served.edition
      let isStoreWritable = await probe.failure() == nil
      let end = certificateEnd()
      let isReady = edition != nil && isStoreWritable && end.map { $0 > parts.clock.now } ?? true
      let body: JSONObject = [
        "status": isReady ? "ready" : "notReady", "store": .bool(isStoreWritable),
        "certificateEnd": end.map { .string($0.description) } ?? .null,
        "generation": edition.map { .integer($0.generation) } ?? .null,
        "published": edition.map { .string($0.published.description) } ?? .null,
        "isCurrent": .bool(parts.served.problem == nil), "heldRemovals": .integer(Int64(edition?.held.count ?? 0)),
        "isMaintenanceHeld": .bool(parts.maintenance.state?.isHeld ?? false),
        "clockAlarm": parts.maintenance.state?.alarm.map { .string($0.description) } ?? .null,
        "wipesHeldSince": parts.holds.hold.map { .string($0.since.description) } ?? .null,
      ]
      var response = HTTPResponse(isReady ? 200 : 503, json: Array(body.jsonText.utf8))
      if !isReady { response.headers["Retry-After"] = String(parts.options.retryAfter) }
      return response
    }
  }

  package var metricsText: String { metricsText(with: []) }

  /// `others` are read outside of this service.
  func metricsText(with others: [ServiceMetrics.Reading]) -> String {
    parts.metrics.text(tenantReadings + upkeepReadings + outsideReadings + others)
  }

  private var tenantReadings: [ServiceMetrics.Reading] {
    let edition = parts.served.edition
    return [
      .init("mambridge_open_polls", Int64(parts.hub.count), "Hosts that wait for changes."),
      .init("mambridge_open_polls_limit", Int64(parts.options.openPolls), "How many hosts may wait for changes."),
      .init(
        "mambridge_tenant_generation", edition?.generation ?? 0, "The version of the tenant that is served; 0 for none."
      ),
      .init(
        "mambridge_tenant_published_seconds", (edition?.published.milliseconds ?? 0) / 1000,
        "When that version was published, since 1970."),
      .init(
        "mambridge_tenant_problem", parts.served.problem == nil ? 0 : 1,
        "1 if the source of the tenant cannot be used, so that an old version is served."),
      .init(
        "mambridge_held_removals", Int64(edition?.held.count ?? 0),
        "Users, policies, groups and the like that the tenant keeps although its source no longer has them."),
      .init(
        "mambridge_ignored_operations", Int64(edition?.ignoredOperations.count ?? 0),
        "Operations of the tenant that order nothing: the user is unknown."),
    ]
  }

  private var upkeepReadings: [ServiceMetrics.Reading] {
    let (maintenance, hold) = (parts.maintenance.state, parts.holds.hold)
    return [
      .init("mambridge_wipes_held", hold == nil ? 0 : 1, "1 if wipes are on hold, so that hosts block instead."),
      .init(
        "mambridge_wipes_held_since_seconds", (hold?.since.milliseconds ?? 0) / 1000,
        "When the hold of wipes began, since 1970; 0 for none."),
      .init(
        "mambridge_maintenance_held", maintenance?.isHeld == true ? 1 : 0,
        "1 if the clock may have jumped, so that nothing ends or is deleted for now."),
      .init(
        "mambridge_clock_alarm_seconds", (maintenance?.alarm?.milliseconds ?? 0) / 1000,
        "When the clock last jumped, since 1970; 0 for never."),
    ]
  }

  /// About the identity provider and the certificate, if there are any.
  private var outsideReadings: [ServiceMetrics.Reading] {
    var readings: [ServiceMetrics.Reading] = []
    if let provider = tokens.provider {
      readings = [
        .init(
          "mambridge_provider_problem", provider.isFailing ? 1 : 0,
          "1 if the keys of the identity provider could not be read when they were last asked for."),
        .init(
          "mambridge_provider_failures_total", Int64(provider.failures),
          "Attempts to read the keys of the identity provider that failed.", kind: .counter),
        .init(
          "mambridge_unknown_keys_total", Int64(provider.unknownKeys),
          "Tokens that named a key which the identity provider has not published.", kind: .counter),
      ]
    }
    if let end = certificateEnd() {
      readings.append(
        .init("mambridge_certificate_end_seconds", end.milliseconds / 1000, "When the certificate expires, since 1970.")
      )
    }
    return readings
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
