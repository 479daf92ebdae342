import ArgumentParser
import Glibc
import HTTP
import HTTPNetwork
import JSON
import Model
import ServiceSource
import Support

struct CheckService: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Look at a tenant service from here: is it reachable, trusted, on time, and ready?",
    discussion: """
      Sends the requests with which a host begins, without a token, and changes nothing. Prints a line for each thing that \
      it looks at: the connection and the certificate, the clock, what the service says about itself, whether it is ready, \
      and whether the issuer of its tokens can be found.

      Exit codes: 0 no findings; 1 findings; 64 invalid command line; 78 invalid configuration.

      Examples:

        mambridge-tenant check https://mam.contoso.example

        # With an authority of the company's own
        mambridge-tenant check https://mam.contoso.example --ca contoso.pem
      """)

  @Argument(help: ServiceAddress.help) var service: ServiceAddress

  @OptionGroup var client: ClientOptions

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      let check = ServiceCheck(url: service.url, http: try client.makeClient())
      let lines = try waiting { await check.lines() }
      for line in lines { try printResult((line.isFinding ? "finding: " : "ok: ") + line.text + "\n") }
      return lines.contains(where: \.isFinding) ? EXIT_FAILURE : EXIT_SUCCESS
    }
  }
}

/// Looks at a tenant service as a host sees it.
struct ServiceCheck: Sendable {
  struct Line: Sendable {
    let isFinding: Bool
    let text: String

    static func ok(_ text: String) -> Line { Line(isFinding: false, text: text) }
    static func finding(_ text: String) -> Line { Line(isFinding: true, text: text) }
  }

  private static let patience = Duration.seconds(10)
  private static let mostBytes = 1 << 20
  /// What token checks allow.
  private static let mostSkew = 60.0
  private static let warningDays: Int64 = 14

  let url: String
  let http: any HTTPClient

  func lines() async -> [Line] {
    var lines: [Line] = []
    let start = ContinuousClock.now
    switch await get(url + "/mam/v1/") {
    case .failure(let failure): return [.finding(failure.text)]
    case .success(let response):
      let time = Int((start.duration(to: .now).inSeconds * 1000).rounded())
      lines.append(.ok("\(url) answers after \(time) ms"))
      lines += await certificateLines()
      lines += clockLines(response)
      lines += await descriptionLines(response)
    }
    return lines + [await readiness()]
  }

  private func get(_ url: String) async -> Result<HTTPResponse, HTTPFailure> {
    do throws(HTTPFailure) {
      let request = HTTPRequest("GET", url, headers: HTTPHeaders(["Accept": "application/json"]))
      return .success(try await http.send(request, patience: Self.patience, largestBody: Self.mostBytes))
    } catch {
      return .failure(error)
    }
  }

  private func certificateLines() async -> [Line] {
    #if TenantService
      guard let url = WebURL(url), url.scheme == "https", let client = http as? NetworkClient else { return [] }
      guard let end = await client.certificateEnd(of: url, patience: Self.patience) else {
        return [.ok("the certificate is trusted; until when it is valid cannot be seen from here")]
      }
      let days = (end.milliseconds - SystemClock().now.milliseconds) / CivilDate.millisecondsPerDay
      let text = "the certificate is trusted, and valid for \(days) more days, until \(end)"
      return [days < Self.warningDays ? .finding(text + ". Renew it.") : .ok(text)]
    #else
      return []
    #endif
  }

  private func clockLines(_ response: HTTPResponse) -> [Line] {
    guard let theirs = response.headers["Date"].flatMap(Timestamp.init(httpDate:)) else { return [] }
    let skew = Double(SystemClock().now.milliseconds - theirs.milliseconds) / 1000
    guard abs(skew) > Self.mostSkew else { return [.ok("the clocks of the service and of this machine agree")] }
    let direction = skew > 0 ? "ahead of" : "behind"
    return [
      .finding(
        "the clock of this machine is \(Int(abs(skew))) s \(direction) that of the service, and tokens may be refused. "
          + "Synchronize both with NTP.")
    ]
  }

  private func descriptionLines(_ response: HTTPResponse) async -> [Line] {
    guard !response.isWebPage else {
      return [.finding(HTTPResponse.webPageText(from: "\(url)/mam/v1/", status: response.status))]
    }
    guard response.status == 200, let value = try? JSONValue(parsing: response.body),
      let description = ServiceDescription(value)
    else {
      return [
        .finding(
          "\(url)/mam/v1/ answers with status \(response.status), but not as a tenant service does. Check the address.")
      ]
    }
    let push = description.canPush ? "says at once when something changes" : "does not say when something changes"
    let lines = [Line.ok("\(description.name.shown(atMost: 100)) speaks version \(description.version), and \(push)")]
    guard let authentication = description.authentication else {
      return lines + [.ok("the service takes no tokens")]
    }
    return lines + [await discovery(authentication)]
  }

  private func discovery(_ authentication: ServiceAuthentication) async -> Line {
    do throws(ProviderFailure) {
      let provider = try await ProviderDocument.fetch(
        of: authentication.authority, over: http, patience: Self.patience)
      _ = try provider.endpoint("jwks_uri")
      let scopes = authentication.scopes.joined(separator: " ").shown(atMost: 200)
      return .ok("tokens come from \(provider.issuer.shown(atMost: 200)), for \(scopes)")
    } catch {
      return .finding("cannot find the issuer of the tokens: \(error.text)")
    }
  }

  private static func readyLine(_ response: HTTPResponse) -> Line {
    let health = try? JSONValue(parsing: response.body)
    if let since = health?["wipesHeldSince"]?.stringValue {
      return .finding(
        "the service is ready, but \(WipeHold.sentence(since: since.shown(atMost: 40))) Hosts block instead. Where the store "
          + "is, mambridge-tenant hold says why, and mambridge-tenant hold lift ends the hold.")
    }
    let held = health?["heldRemovals"]?.integerValue ?? 0
    guard held > 0 else { return .ok("the service is ready") }
    return .finding(
      "the service is ready, but holds back \(held) removals: its source lacks users, policies or groups that it had. Its "
        + "log names them. Restore them, or run mambridge-tenant accept where the store is.")
  }

  private func readiness() async -> Line {
    switch await get(url + "/health/ready") {
    case .failure(let failure): return .finding(failure.text)
    case .success(let response) where response.status == 200: return Self.readyLine(response)
    case .success(let response):
      let body = String(decoding: response.body.prefix(800), as: UTF8.self).shown(atMost: 200)
      return .finding("the service is not ready (status \(response.status)): \(body)")
    }
  }
}
