import TestSupport

/// A tenant folder with accounts of every kind: strict and none are about data transfer.
final class TenantFolder {
  private let folder = TemporaryFolder()
  var path: String { folder.path }

  /// `mdm` is the JSON text of the member.
  init(mdm: String = "null") {
    write(Self.tenant(mdm: mdm), to: "tenant.json")
    write(Self.listed, to: "policies/listed.json")
    write(Self.closed, to: "policies/closed.json")
    write(Self.configuration("A_1", flag: "yes", number: "7", text: "zeta"), to: "configurations/1.json")
    write(Self.configuration("A_2", flag: "0", number: "2.5", text: "alpha"), to: "configurations/2.json")
    write(Self.tenantDefault, to: "policies/default.json")
  }

  func write(_ text: String, to name: String) { folder.write(text, to: name) }

  static let listedId = "f10a0000-0000-4000-8000-000000000001"

  static func tenant(mdm: String) -> String {
    """
    {"tenantId": "f0000000-0000-4000-8000-00000000000f", "displayName": "Fabrikam", "mdm": \(mdm),
     "users": [
      {"id": "\(listedId)", "userPrincipalName": "listed@fabrikam.example", "displayName": "Lis Ted",
       "mail": "lis@fabrikam.example", "groups": ["listed", "configured"]},
      {"id": "f10a0000-0000-4000-8000-000000000002", "userPrincipalName": "closed@fabrikam.example",
       "groups": ["closed"]},
      {"id": "f10a0000-0000-4000-8000-000000000003", "userPrincipalName": "configured@fabrikam.example",
       "groups": ["configured"]}],
     "assignments": [
      {"policy": "policies/listed.json", "groups": ["listed"], "apps": ["*"]},
      {"policy": "policies/closed.json", "groups": ["closed"], "apps": ["*"]},
      {"policy": "policies/default.json", "groups": ["listed"], "apps": ["*"]},
      {"policy": "configurations/1.json", "groups": ["configured"], "apps": ["*"]},
      {"policy": "configurations/2.json", "groups": ["configured"], "apps": ["*"]}]}
    """
  }

  /// Copies are blocked but for listed locations.
  private static let listed = """
    {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_listed", "displayName": "Listed",
     "allowedOutboundDataTransferDestinations": "managedApps", "saveAsBlocked": true,
     "allowedDataStorageLocations": ["box", "localStorage", "photoLibrary"],
     "allowedInboundDataTransferSources": "managedApps", "blockDataIngestionIntoOrganizationDocuments": true,
     "allowedDataIngestionLocations": ["sharePoint", "camera"], "contactSyncBlocked": true}
    """

  /// Nothing goes out, nothing comes in.
  private static let closed = """
    {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_closed", "displayName": "Closed",
     "allowedOutboundDataTransferDestinations": "none", "allowedInboundDataTransferSources": "none",
     "pinRequired": true, "notificationRestriction": "block"}
    """

  private static let tenantDefault = """
    {"@odata.type": "#microsoft.graph.defaultManagedAppProtection", "id": "B_default", "displayName": "Default",
     "customSettings": [{"name": "text", "value": "hidden"}, {"name": "only.default", "value": "shown"}]}
    """

  private static func configuration(_ id: String, flag: String, number: String, text: String) -> String {
    """
    {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "\(id)", "displayName": "\(id)",
     "customSettings": [{"name": "flag", "value": "\(flag)"}, {"name": "number", "value": "\(number)"},
      {"name": "text", "value": "\(text)"}, {"name": "same", "value": "{{UserPrincipalName}}"}]}
    """
  }
}
