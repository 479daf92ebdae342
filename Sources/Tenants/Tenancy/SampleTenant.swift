/// The built-in tenant, for trying things out without a folder.
package struct SampleTenant: Tenant {
  package init() {}

  package func readAvailable() throws(TenantError) -> TenantSnapshot {
    try TenantReader(files: TextFiles(texts: Self.files)).readAvailable()
  }

  /// Its files, by their paths relative to a tenant's folder.
  static let files = [
    "tenant.json": tenant, "policies/ios.json": iosPolicy, "policies/android.json": androidPolicy,
    "policies/default.json": defaultPolicy, "configurations/mail.json": mailConfiguration,
    "configurations/support.json": supportConfiguration,
  ]

  private static let tenant = """
    {
      "tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f",
      "displayName": "Contoso",
      "users": [
        {"id": "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "userPrincipalName": "alice@contoso.example",
         "displayName": "Alice Adams", "mail": "alice.adams@contoso.example", "groups": ["staff"]},
        {"id": "5bde3e51-d13b-4db1-9948-fe4b109d11a7", "userPrincipalName": "bob@contoso.example",
         "displayName": "Bob Brown", "mail": "bob.brown@contoso.example", "groups": ["guests"]},
        {"id": "4782e723-f4f4-4af3-a76e-25e3bab0d896", "userPrincipalName": "carol@contoso.example",
         "displayName": "Carol Clark", "mail": "carol.clark@contoso.example", "licensed": false,
         "groups": ["staff"]},
        {"id": "c03e6eaa-b6ab-46d7-905b-73ec7ea1f755", "userPrincipalName": "dave@contoso.example",
         "displayName": "Dave Davis", "mail": "dave.davis@contoso.example", "accountEnabled": false,
         "groups": ["staff"]}
      ],
      "assignments": [
        {"policy": "policies/ios.json", "groups": ["staff"], "apps": ["*"]},
        {"policy": "policies/android.json", "groups": ["staff"], "apps": ["*"]},
        {"policy": "policies/default.json", "groups": ["staff"], "apps": ["*"]},
        {"policy": "configurations/mail.json", "groups": ["staff"], "apps": ["*"]},
        {"policy": "configurations/support.json", "groups": ["staff"], "apps": ["*"]}
      ]
    }
    """

  private static let iosPolicy = protection(
    "ios", id: "T_1f3ac5b2-30d1-4a5c-8f4c-6d1c0a5e7b11", name: "Contoso data protection for iOS",
    more: """
      "appDataEncryptionType": "whenDeviceLocked", "faceIdBlocked": false, "thirdPartyKeyboardsBlocked": false,
      "exemptedAppProtocols": [{"name": "Default", "value": "app-settings;itms;itmss;itms-apps;itms-services"}]
      """)

  private static let androidPolicy = protection(
    "android", id: "T_8e0b7d4e-52f6-4f0a-9c33-2b9d41f6c022", name: "Contoso data protection for Android",
    more: """
      "encryptAppData": true, "screenCaptureBlocked": true, "keyboardsRestricted": false
      """)

  /// The settings that both platforms share.
  private static func protection(_ system: String, id: String, name: String, more: String) -> String {
    """
    {
      "@odata.type": "#microsoft.graph.\(system)ManagedAppProtection", "id": "\(id)", "displayName": "\(name)",
      "version": "1", "allowedInboundDataTransferSources": "allApps",
      "allowedOutboundDataTransferDestinations": "managedApps",
      "allowedOutboundClipboardSharingLevel": "managedAppsWithPasteIn", "saveAsBlocked": true,
      "allowedDataStorageLocations": ["oneDriveForBusiness", "sharePoint"], "dataBackupBlocked": true,
      "blockDataIngestionIntoOrganizationDocuments": false, "printBlocked": false, "contactSyncBlocked": false,
      "managedBrowserToOpenLinksRequired": true, "managedBrowser": "microsoftEdge",
      "notificationRestriction": "blockOrganizationalData", "pinRequired": true, "minimumPinLength": 4,
      "maximumPinRetries": 5, "pinCharacterSet": "numeric", "simplePinBlocked": false,
      "periodOfflineBeforeAccessCheck": "PT12H", "periodOnlineBeforeAccessCheck": "PT30M",
      "periodOfflineBeforeWipeIsEnforced": "P90D", "deviceComplianceRequired": true,
      "appActionIfDeviceComplianceRequired": "block", \(more)
    }
    """
  }

  private static let defaultPolicy = """
    {
      "@odata.type": "#microsoft.graph.defaultManagedAppProtection", "id": "G_4a9c0f4d-7f9a-4b57-8d0b-5d5b0c3f9933",
      "displayName": "Contoso default", "version": "1", "pinRequired": true,
      "customSettings": [
        {"name": "example.greeting", "value": "Welcome to Contoso"},
        {"name": "example.maximumAttachmentMegabytes", "value": "10"}
      ]
    }
    """

  private static let mailConfiguration = """
    {
      "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
      "id": "A_2d7c1b90-9c1e-45b5-8f0e-0c6f2a7d4c44", "displayName": "Mail", "version": "1",
      "customSettings": [
        {"name": "example.greeting", "value": "Hello {{username}}"},
        {"name": "example.account", "value": "{{userprincipalname}}"},
        {"name": "example.signature", "value": "true"},
        {"name": "example.supportAddress", "value": "mail-support@contoso.example"}
      ]
    }
    """

  private static let supportConfiguration = """
    {
      "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
      "id": "A_b51e6c3a-6f0d-4c8f-a1f7-91d03e2b5d55", "displayName": "Support", "version": "1",
      "customSettings": [
        {"name": "example.supportAddress", "value": "help@contoso.example"},
        {"name": "example.supportReference", "value": "{{userid}}@{{accountid}}"}
      ]
    }
    """
}
