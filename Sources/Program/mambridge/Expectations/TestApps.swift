import JSON
import MAM
import Model
import Support

/// The apps of one test: a core each, started at first use, all at the time of the test.
final class TestApps {
  private let place: TestRun.Place
  private let tenant: String
  private var settings: [String] = []
  private var running: [String: TestConversation] = [:]
  /// The time of each app's clock.
  private var clocks: [String: Timestamp] = [:]
  private var now: Timestamp
  /// The app that the test uses now.
  private(set) var current = CoreArguments.defaultAppId

  /// `tenant` is a folder.
  init(in place: TestRun.Place, tenant: String, at time: Timestamp) {
    (self.place, self.tenant, now) = (place, tenant, time)
  }

  func end() { for app in running.values { app.end() } }

  func set(_ setting: String) throws {
    guard running.isEmpty else {
      throw CommandFailure(exitCode: 64, message: "set must come before the first line that uses the app")
    }
    settings.append(setting)
  }

  func use(_ app: String) throws {
    guard StateFolder.isAppId(app) else {
      throw CommandFailure(
        exitCode: 64, message: "\"\(app.shown)\" is not an app id: use 1 to 128 letters, digits, dots and dashes")
    }
    current = app
  }

  /// The whole reply. An error of the disk is none of the app's, and is thrown.
  func call(_ method: String, _ params: JSONObject) throws -> JSONValue {
    let reply = try conversation().call(method, params)
    guard let name = reply["error"]?["data"]?["name"]?.stringValue, Self.diskErrors.contains(name) else { return reply }
    throw CommandFailure(
      exitCode: 74, message: "\(reply.outcomeText). The files of tests are in \(place.folder.parentFolder)")
  }

  private static let diskErrors = Set([ErrorCode.diskFull, .storeUnavailable].map(\.name))

  /// Moves the clock forward, by a duration after a plus sign or to a time.
  func moveClock(_ text: String) throws {
    let target: Timestamp
    if text.hasPrefix("+"), let duration = ISODuration(String(text.dropFirst())) {
      target = now.advanced(by: duration.milliseconds)
    } else {
      target = Timestamp(text) ?? now
    }
    guard target >= now else {
      throw CommandFailure(exitCode: 64, message: "the clock shows \(now) and cannot go back to \(target)")
    }
    guard target.milliseconds(since: now) <= Self.longestAdvance * 30 else {
      throw CommandFailure(exitCode: 64, message: "the clock cannot move by more than 30 years at once")
    }
    now = target
    _ = try conversation()
  }

  /// The current app, at the time of the test.
  private func conversation() throws -> TestConversation {
    guard let running = running[current] else {
      let started = try TestConversation(arguments())
      (self.running[current], clocks[current]) = (started, now)
      return started
    }
    while let behind = clocks[current], behind < now {
      let step = min(now.milliseconds(since: behind), Self.longestAdvance)
      let reply = try running.call("debug.advanceClock", ["by": .string(Self.duration(milliseconds: step))])
      guard reply["error"] == nil else { throw CommandFailure(exitCode: 1, message: reply.outcomeText) }
      clocks[current] = behind.advanced(by: step)
    }
    return running
  }

  private func arguments() -> CoreArguments {
    var arguments = CoreArguments()
    arguments.state = place.folder + "/state"
    arguments.tenant = tenant
    arguments.trustsParents = place.trustsParents
    arguments.appId = current
    arguments.clock = .manual(startingAt: now)
    arguments.flags = ["DebugSettingsEnabled=true"] + settings
    arguments.locale = "en"
    return arguments
  }

  /// 366 days, in milliseconds.
  private static let longestAdvance: Int64 = 366 * 86_400_000

  private static func duration(milliseconds: Int64) -> String { "PT\(max(1, milliseconds / 1000))S" }
}
