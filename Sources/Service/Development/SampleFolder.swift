import JSON
import Support

/// The files of a new development tenant. Its ids are new, too, so that nothing that knows another tenant takes it for
/// that one.
package enum SampleFolder {
  /// The names of its users before the `@`, and what is special about each.
  package static let users: KeyValuePairs<String, String> = [
    "alice": "iOS and Android policy, group Sales", "bob": "licensed, no policy", "carol": "disabled",
    "erin": "administrator",
  ]
  package static let domain = "contoso.example"
  package static let displayName = "Contoso"

  /// The texts by their paths in the folder.
  package static func files() -> [String: String] {
    [
      "tenant.json": tenant.indentedText + "\n", "policies/ios.json": policy("ios", "iOS").indentedText + "\n",
      "policies/android.json": policy("android", "Android").indentedText + "\n",
    ]
  }

  private static var tenant: JSONValue {
    [
      "tenantId": .string(.randomUUID), "displayName": .string(displayName),
      "users": [
        user("alice", "Alice Adams", ["groups": ["Sales"]]), user("bob", "Bob Brown"),
        user("carol", "Carol Clark", ["accountEnabled": false]),
        user("erin", "Erin Evans", ["groups": [.string(DevelopmentSettings.administrators)]]),
      ],
    ]
  }

  private static func user(_ name: String, _ displayName: String, _ more: JSONObject = [:]) -> JSONValue {
    var user: JSONObject = [
      "id": .string(.randomUUID), "userPrincipalName": .string("\(name)@\(domain)"),
      "displayName": .string(displayName),
    ]
    for member in more.members { user[member.name] = member.value }
    return .object(user)
  }

  /// Says itself whom it is for, as an export of Graph does, so that Graph can change that.
  private static func policy(_ system: String, _ name: String) -> JSONValue {
    let target: JSONValue = ["@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "sales"]
    return [
      "@odata.type": .string("#microsoft.graph.\(system)ManagedAppProtection"), "id": .string("T_" + .randomUUID),
      "displayName": .string("Contoso data protection for \(name)"), "version": "1", "pinRequired": true,
      "minimumPinLength": 4, "saveAsBlocked": true, "allowedDataStorageLocations": ["oneDriveForBusiness"],
      "allowedOutboundDataTransferDestinations": "managedApps",
      "allowedOutboundClipboardSharingLevel": "managedAppsWithPasteIn", "periodOfflineBeforeAccessCheck": "PT12H",
      "periodOfflineBeforeWipeIsEnforced": "P90D", "appGroupType": "allApps", "apps": [],
      "assignments": [["target": target]],
    ]
  }
}
