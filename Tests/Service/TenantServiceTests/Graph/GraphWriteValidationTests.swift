import HTTP
import JSON
import Model
import Policy
import Testing

@testable import TenantService

@Suite("Graph writes: validation") struct GraphWriteValidationTests {
  typealias Editor = GraphEditorDouble

  struct Case: Sendable, CustomTestStringConvertible {
    let request: String
    let body: JSONValue
    let code: String
    /// Pieces of the sentence.
    let has: [String]
    var testDescription: String { "\(request) \(body.brief)" }

    init(_ request: String, _ body: JSONValue, _ code: String, _ has: String...) {
      (self.request, self.body, self.code, self.has) = (request, body, code, has)
    }

    /// A PATCH of the policy for iOS.
    static func ios(_ body: JSONValue, _ code: String, _ has: String...) -> Case {
      patch("ios", Editor.policy, body, code, has)
    }

    static func android(_ body: JSONValue, _ code: String, _ has: String...) -> Case {
      patch("android", Editor.android, body, code, has)
    }

    private static func patch(_ name: String, _ id: String, _ body: JSONValue, _ code: String, _ has: [String]) -> Case
    {
      var entry = Case("PATCH \(name)ManagedAppProtections/\(id)", body, code)
      entry = Case(copying: entry, has)
      return entry
    }

    private init(copying other: Case, _ has: [String]) {
      (request, body, code, self.has) = (other.request, other.body, other.code, has)
    }
  }

  static let model = "ModelValidationFailure"
  static let bad = "BadRequest"
  static let ios = "iosManagedAppProtections"
  static let assign = "POST \(ios)/\(Editor.policy)/assign"
  static let apps = "POST \(ios)/\(Editor.policy)/targetApps"

  static func assignment(_ more: JSONObject) -> JSONValue {
    let target: JSONObject = ["@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "staff"]
    return ["assignments": [["target": .object(target.adding(more))]]]
  }

  static let filterId = "deviceAndAppManagementAssignmentFilterId"
  static let filterType = "deviceAndAppManagementAssignmentFilterType"

  static let cases: [Case] = [
    // Members.
    .ios(
      ["pinRequird": true], model, "The property 'pinRequird' does not exist on type",
      "'microsoft.management.services.api.iosManagedAppProtection'", "Did you mean 'pinRequired'?"),
    .ios(["PinRequired": true], model, "'PinRequired'", "Did you mean 'pinRequired'?"),
    .ios(["screenCaptureBlocked": true], model, "'screenCaptureBlocked'"),
    .ios(["dictationBlocked": true], model, "'dictationBlocked'"),
    Case("PATCH defaultManagedAppProtections/\(Editor.standard)", ["appGroupType": "allApps"], model, "'appGroupType'"),
    Case(
      "PATCH defaultManagedAppProtections/\(Editor.standard)", ["keyboardsRestricted": true], model, "does not exist"),
    Case("POST targetedManagedAppConfigurations", ["displayName": "c", "pinRequired": true], model, "'pinRequired'"),
    .ios(["apps": []], model, "Cannot apply PATCH to navigation property 'apps' on entity type", "targetApps"),
    .ios(["assignments": []], model, "navigation property 'assignments'", "action assign"),
    // Types.
    Case("POST managedAppPolicies", ["displayName": "x"], model, "Cannot create an abstract class."),
    Case(
      "POST managedAppPolicies", ["@odata.type": "#microsoft.graph.managedAppPolicy", "displayName": "x"], model,
      "Cannot create an abstract class."),
    Case(
      "POST managedAppPolicies", ["@odata.type": "#microsoft.graph.iosManagedAppProtectio", "displayName": "x"], model,
      "A type named 'microsoft.graph.iosManagedAppProtectio' could not be resolved", "'iosManagedAppProtection'"),
    Case(
      "POST \(ios)", ["@odata.type": "#microsoft.graph.androidManagedAppProtection", "displayName": "x"], model,
      "An entry with type 'microsoft.management.services.api.androidManagedAppProtection' was found, but it is not assignable",
      "/deviceAppManagement/androidManagedAppProtections"),
    // Values.
    .ios(
      ["pinRequired": "true"], bad, "Property pinRequired in payload has a value that does not match schema.",
      "true or false"),
    .ios(["pinRequired": 1], bad, "Property pinRequired", "not 1"),
    .ios(["minimumPinLength": "4"], bad, "Property minimumPinLength", "whole number from 0 to 65535"),
    .ios(["minimumPinLength": 4.5], bad, "Property minimumPinLength"),
    .ios(["displayName": 4], bad, "Property displayName"),
    .ios(["displayName": ""], bad, "Property displayName", "not empty"),
    .ios(["displayName": .null], bad, "Property displayName", "not empty"),
    Case("POST \(ios)", [:], bad, "Property displayName"),
    Case("POST \(ios)", ["displayName": ""], bad, "Property displayName"),
    Case("POST \(ios)", [], bad, "Unable to read JSON request payload.", "must be an object"),
    .ios(
      ["pinCharacterSet": "numerik"], model, "Requested value 'numerik' was not found.", "pinCharacterSet",
      "Did you mean 'numeric'?"),
    .ios(["pinCharacterSet": "Numeric"], model, "Did you mean 'numeric'?"),
    .ios(
      ["pinCharacterSet": ""], model, "Must specify valid information for parsing in the string.", "pinCharacterSet"),
    .ios(["pinCharacterSet": 0], bad, "Property pinCharacterSet"),
    .ios(["pinCharacterSet": "unknownFutureValue"], model, "was not found"),
    .ios(["allowedInboundDataTransferSources": "selectedApps"], model, "allApps, managedApps, none"),
    .ios(["allowedDataIngestionLocations": ["box"]], model, "Requested value 'box'", "camera"),
    .ios(["allowedDataStorageLocations": "sharePoint"], bad, "Property allowedDataStorageLocations", "a list of"),
    .ios(["targetedAppManagementLevels": "mdm,unmanagd"], model, "'unmanagd'", "Did you mean 'unmanaged'?"),
    .ios(["targetedAppManagementLevels": ["mdm"]], bad, "commas"),
    .ios(["mobileThreatDefenseRemediationAction": "warn"], model, "'warn' was not found"),
    .ios(["periodOfflineBeforeAccessCheck": "12 hours"], bad, "ISO 8601", "PT12H"),
    .ios(["periodOfflineBeforeWipeIsEnforced": "90 days, 0:00:00"], bad, "ISO 8601"),
    .ios(["periodOfflineBeforeAccessCheck": "P1M"], bad, "ISO 8601"),
    .ios(["periodOfflineBeforeAccessCheck": ""], bad, "ISO 8601"),
    .ios(["periodOfflineBeforeAccessCheck": 720], bad, "ISO 8601"),
    .ios(["minimumRequiredOsVersion": ""], bad, "Property minimumRequiredOsVersion", "or null"),
    .ios(["minimumRequiredOsVersion": "17.x"], bad, "a version such as"),
    .ios(["minimumRequiredOsVersion": 17], bad, "a version such as"),
    .android(["minimumRequiredPatchVersion": "2026.01.05"], bad, "a date such as"),
    .android(["minimumRequiredOsVersion": "2026-01-05"], bad, "a version such as"),
    .ios(["maximumPinRetries": 0], bad, "from 1 to 65535, not 0"),
    .ios(["maximumPinRetries": 65536], bad, "from 1 to 65535"),
    .ios(["previousPinBlockCount": 25], bad, "from 0 to 24"),
    .ios(["allowedOutboundClipboardSharingExceptionLength": -1], bad, "from 0 to 65535"),
    .ios(["roleScopeTagIds": "0"], bad, "a list of texts"),
    .ios(["exemptedAppProtocols": [["name": "a", "val": "b"]]], model, "'val' does not exist", "keyValuePair"),
    .ios(["exemptedAppProtocols": [["value": "b"]]], bad, "a name and a value"),
    .ios(["exemptedAppProtocols": ["a"]], bad, "a name and a value"),
    .ios(["exemptedAppProtocols": [["name": "a", "value": 1]]], bad, "exemptedAppProtocols/a", "a text"),
    Case(
      "POST windowsManagedAppProtections", ["displayName": "w", "allowedInboundDataTransferSources": "managedApps"],
      model,
      "allApps, none, selectedApps"),
    // Rules of several members.
    .ios(
      ["disableProtectionOfManagedOutboundOpenInData": true], bad,
      "only if allowedOutboundDataTransferDestinations is \"managedApps\""),
    .ios(
      ["protectInboundDataFromUnknownSources": true, "allowedInboundDataTransferSources": "none"], bad,
      "only if allowedInboundDataTransferSources is \"allApps\""),
    .ios(["customBrowserProtocol": "x"], bad, "only if managedBrowserToOpenLinksRequired is true"),
    // Assignments.
    Case(assign, [:], bad, "Parameter expected : assignments"),
    Case(assign, ["assignments": .null], bad, "Parameter expected : assignments"),
    Case(assign, ["assignments": [], "apps": []], model, "The parameter 'apps'", "'assign'"),
    Case(assign, ["assignments": [:]], bad, "Property assignments", "a list of objects"),
    Case(assign, ["assignments": [["target": "x"]]], bad, "Property assignments/target"),
    Case(assign, ["assignments": [["target": ["groupId": "x"]]]], model, "Cannot create an abstract class."),
    Case(
      assign, ["assignments": [["target": ["groupId": "x"], "targets": []]]], model, "'targets'",
      "Did you mean 'target'?"),
    Case(
      assign, ["assignments": [["target": ["@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"]]]], bad,
      "Unsupported AssignmentTarget. Group assignments contain classes other than"),
    Case(
      assign, ["assignments": [["target": ["@odata.type": "#microsoft.graph.allDevicesAssignmentTarget"]]]], bad,
      "Unsupported AssignmentTarget."),
    Case(assign, assignment(["groupId": ""]), bad, "Property assignments/target/groupId"),
    Case(assign, assignment(["groupID": "x"]), model, "'groupID'", "Did you mean 'groupId'?"),
    Case(assign, assignment([filterId: "nothing", filterType: "include"]), bad, "no assignment filter nothing"),
    Case(assign, assignment([filterId: .string(Editor.filter)]), bad, "must be include or exclude"),
    Case(assign, assignment([filterType: "include"]), bad, "must name a filter"),
    Case(assign, assignment([filterType: "includes"]), model, "'includes' was not found"),
    // Apps.
    Case(apps, ["appGroupType": "allApps"], bad, "Parameter expected : apps"),
    Case(apps, ["apps": .null], bad, "Parameter expected : apps"),
    Case(apps, ["apps": [], "appGroup": "allApps"], model, "The parameter 'appGroup'"),
    Case(apps, ["apps": [], "appGroupType": "everything"], model, "Requested value 'everything'"),
    Case(apps, ["apps": [["mobileAppIdentifier": ["bundleId": "x"]]]], model, "Cannot create an abstract class."),
    Case(apps, ["apps": [["id": "x"]]], bad, "Property apps/mobileAppIdentifier"),
    Case(
      apps, ["apps": [GraphWriteTests.app("x", "android", "packageId")]], bad, "takes no androidMobileAppIdentifier"),
    Case(apps, ["apps": [GraphWriteTests.app("x", "ios", "packageId")]], model, "'packageId' does not exist"),
    Case(apps, ["apps": [GraphWriteTests.app("")]], bad, "apps/mobileAppIdentifier/bundleId"),
    Case(
      apps, ["apps": [GraphWriteTests.app("x", "io")]], model,
      "'microsoft.graph.ioMobileAppIdentifier' could not be resolved"),
    Case(
      "POST managedAppPolicies/\(Editor.standard)/targetApps", ["apps": [], "appGroupType": "allApps"], model,
      "appGroupType"),
  ]

  @Test("An invalid write is refused as Graph would refuse it, names the member, and changes nothing", arguments: cases)
  func refuses(_ entry: Case) async throws {
    let editor = try Editor()
    let before = editor.state.withLock(\.files)
    let parts = entry.request.split(separator: " ").map(String.init)
    let response = try await editor.send(parts[0], "\(Editor.management)/\(parts[1])", entry.body)
    #expect(response.status == 400, "\(response.text)")
    #expect(response.code == entry.code, "\(response.text)")
    for piece in entry.has { #expect(response.message.contains(piece), "\(response.message)") }
    // Graph repeats this message inside.
    let inner = response.value["error"]?["innerError"]
    #expect((inner?["message"] != nil) == (entry.code == Self.model))
    #expect(inner?["request-id"] == "request-1")
    #expect(editor.state.withLock(\.files) == before)
  }

  @Test("A refusal by Intune has JSON text as its message")
  func nestedForm() async throws {
    let response = try await Editor().send("POST", "\(Editor.management)/\(Self.ios)/\(Editor.policy)/targetApps", [:])
    let message = try #require(response.value["error"]?["message"]?.stringValue)
    let inner = try JSONValue(parsing: message)
    #expect(inner["_version"] == 3)
    #expect(inner["RetryAfter"] == .null)
    #expect(inner["HttpHeaders"] == "{}")
    let text = try #require(inner["Message"]?.stringValue)
    #expect(text.hasPrefix("Parameter expected : apps - Operation ID (for customer support): 00000000-0000-"))
    #expect(text.contains("Activity ID: request-1 - Url: /beta/deviceAppManagement/"))
    let missing = try await Editor().send("DELETE", "\(Editor.management)/\(Self.ios)/T_none")
    #expect(missing.status == 404)
    #expect(missing.code == "ResourceNotFound")
    #expect(missing.message.contains("T_none"))
  }

  @Test(
    "A body that is not JSON or has the wrong Content-Type is refused with the reason",
    arguments: [
      ("{", "application/json", "not JSON"), ("{}", "text/plain", "Content-Type is text/plain"),
      ("{}", "", "Content-Type is"),
    ])
  func unreadable(_ body: String, _ type: String, _ text: String) async throws {
    let editor = try Editor()
    var headers = HTTPHeaders(["request-id": "r"])
    if !type.isEmpty { headers["Content-Type"] = type }
    let url = "\(Editor.management)/\(Self.ios)"
    let request = HTTPRequest("POST", url, headers: headers, body: Array(body.utf8))
    let target = try #require(HTTPTarget(url))
    let response = await editor.service.response(to: request, at: target, by: .caller(Editor.writer)) { _ in }
    #expect(response.status == 400)
    #expect(response.message.contains("Unable to read JSON request payload."))
    #expect(response.message.contains(text), "\(response.message)")
  }

  @Test("A rule that a policy already breaks does not prevent changes to other members")
  func brokenBefore() async throws {
    let editor = try Editor()
    editor.state.withLock { state in
      var texts = state.files.texts
      texts["policies/ios.json"] = Editor.object(.ios, Editor.policy, ["customBrowserProtocol": "x"])
      state.files = .init(texts: texts)
    }
    let url = "\(Editor.management)/\(Self.ios)/\(Editor.policy)"
    #expect(try await editor.send("PATCH", url, ["description": "d"]).status == 204)
    #expect(try await editor.send("PATCH", url, ["managedBrowserToOpenLinksRequired": false]).status == 400)
  }

  @Test("An assignment can use an assignment filter of the tenant")
  func filter() async throws {
    let editor = try Editor()
    let body = Self.assignment([Self.filterId: .string(Editor.filter.uppercased()), Self.filterType: "exclude"])
    let response = try await editor.send("POST", "\(Editor.management)/\(Self.ios)/\(Editor.policy)/assign", body)
    #expect(response.status == 204, "\(response.text)")
    let target = editor.tenant?.policy(Editor.policy)?.assignments?.first?["target"]
    #expect(target?[Self.filterType] == "exclude")
  }

  /// Whoever proves one of them by an answer of Graph moves it to `GraphDefaults.recorded`, and out of here.
  @Test("The count of policy defaults not proven by a recorded answer of Graph is up to date")
  func unverifiedDefaults() {
    let counts = PolicyList.allCases.map { list in
      GraphPolicyType[list].members.filter { member in
        if case .readOnly = member.type { return false }
        return member.name != "displayName" && member.name != "deploymentSummary"
          && GraphDefaults.recorded[list]?.contains(member.name) != true
      }.count
    }
    // iOS, Android, Windows, default, configurations.
    #expect(counts == [75, 96, 26, 107, 5])
  }

  @Test("Every default of a new policy is a value that a client may send")
  func defaultsAreValid() throws {
    for list in PolicyList.allCases {
      let type = GraphPolicyType[list]
      for (name, value) in GraphDefaults.of(list).members.map({ ($0.name, $0.value) }) where value != .null {
        guard let member = type.member(name, isBeta: true) else { continue }
        #expect(try member.type.checked(value, name) == value)
      }
    }
  }
}
