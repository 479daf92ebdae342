import Glibc

@testable import Tenancy

extension FuzzTarget {
  /// Short inputs of the right form, from which others are made. scripts/fuzz adds files of the checkout.
  var seeds: [[UInt8]] {
    switch self {
    case .wire, .params:
      SeedTexts.requests.map { [0, 3] + $0.utf8 } + SeedTexts.requests.map { [1, 0] + $0.utf8 }
    case .http: SeedTexts.urls.map { Array($0.utf8) }
    case .policies: SampleTenant.files.filter { $0.key.hasPrefix("policies/") }.values.map { Array($0.utf8) }
    case .tenant:
      [Array((SampleTenant.files["tenant.json"] ?? "").utf8), TenantFileSet(texts: SampleTenant.files).stored]
    case .filters: SeedTexts.rules.map { Array($0.utf8) }
    case .source: SeedTexts.messages.map { Array($0.utf8) }
    case .tokens: SeedTexts.tokens.map { Array($0.utf8) }
    case .buffers: [[0], [1], [2], [0, 128, 0, 0, 1], [1, 128, 0, 2, 1], [2, 128, 0, 4, 0], [0, 0, 0, 0, 0]]
    case .files, .database:
      [[], [0, 0, 0, 1], [0, 64, 2, 1], [128, 0, 4, 0], [64, 0, 5, 16], [64, 0, 6, 16], [128, 0, 7, 255]]
    case .plists: SeedTexts.propertyLists
    case .predicates: SeedTexts.predicates.map { Array($0.utf8) }
    case .expectations: SeedTexts.expectations.map { Array($0.utf8) }
    case .logs: SeedTexts.logs.map { Array($0.utf8) }
    case .odata: SeedTexts.graphRequests.map { Array($0.utf8) }
    }
  }
}

/// Texts of the right form.
private enum SeedTexts {
  static let requests = [
    #"{"jsonrpc":"2.0","id":1,"method":"policy.isPINRequired","params":{"account":"alice@contoso.example"}}"# + "\n",
    "Content-Length: 60\r\n\r\n" + #"[{"jsonrpc":"2.0","id":"a","method":"versionInfo.sdkVersion"}]"#,
    #"{"jsonrpc":"2.0","id":2,"method":"file.pwrite","params":{"handle":1,"offset":0,"data":{"base64":"AA"}}}"# + "\n",
  ]

  static let urls = [
    "https://mam.contoso.example:8443/mam/v1/check-in?version=1&name=a%20b+c#part", "http://[::1]/",
    "/mam/v1/registrations/0f3d2c1b-1111-4222-8333-444455556666/operations/7", "/v1.0/users?%24top=5&x=%E2%82%AC",
  ]

  static let rules = [
    #"(app.deviceModel -startsWith "Pixel") and (app.osVersion -eq "14.0")"#,
    #"(app.deviceManagementType -in ["Managed","Unmanaged"]) or not (app.deviceManufacturer -contains "oo")"#,
    #"((app.operatingSystemVersion -ge 17.0.1)) and (app.deviceModel -ne $null)"#,
  ]

  static let messages = [
    #"""
    {"outcome":"delivered","etag":"1","nextCheckIn":3600,"user":{"id":"0f3d2c1b-1111-4222-8333-444455556666",
    "tenantId":"7a6b5c4d-aaaa-4bbb-8ccc-ddddeeeeffff","userPrincipalName":"alice@contoso.example","mail":null},
    "policies":[{"@odata.type":"#microsoft.graph.iosManagedAppProtection","id":"T_1","displayName":"iOS",
    "pinRequired":true,"apps":[]}],"allowedAccounts":null,"operations":[{"id":"1","type":"wipe"}],"hold":null,
    "configurations":[],"certificatePins":{},"mdm":null}
    """#,
    #"""
    {"verificationUri":"https://login.example","userCode":"ABC","message":"Enter ABC",
    "expires":"2026-01-31T12:00:00Z"}
    """#,
    #"{"account":{"id":"a"},"spread":5}"#,
    #"{"name":"source","protocolVersion":1,"authentication":"token","push":true,"signIn":true}"#,
  ]

  static let tokens = [
    #"{"keys":[{"kty":"RSA","kid":"k","use":"sig","alg":"RS256","n":"AQAB","e":"AQAB"}]}"#
      + "\neyJhbGciOiJSUzI1NiIsImtpZCI6ImsiLCJ0eXAiOiJKV1QifQ.eyJzdWIiOiJmdXp6In0.AAAA",
    #"{"keys":[{"kty":"EC","crv":"P-256","kid":"k","x":"axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY","#
      + #""y":"T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"}]}"#
      + "\neyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.e30."
      + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  ]

  static let propertyLists: [[UInt8]] = [
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict><key>IntuneMAMSettings</key><dict><key>ADALClientId</key><string>a &amp; b</string>
      <key>On</key><true/><key>Count</key><integer>-3</integer><key>Part</key><real>1.5e3</real>
      <key>List</key><array><date>2026-01-31T12:00:00Z</date><data>AAEC</data><!-- a comment --></array></dict></dict></plist>
      """.utf8),
    Array("bplist00".utf8)
      + [
        0xD2, 1, 2, 3, 4, 0x51, 0x61, 0x51, 0x62, 0x10, 7, 0xA2, 5, 6, 0x09, 0x5F, 0x10, 2, 0x68, 0x69,
        8, 13, 15, 17, 19, 22, 23, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 28,
      ],
  ]

  static let predicates = [
    #"SUBQUERY (extensionItems, $extensionItem, SUBQUERY ($extensionItem.attachments, $attachment, "#
      + #"ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "public.image" || "#
      + #"ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "com.adobe.pdf").@count == 1).@count == 1"#,
    "TRUEPREDICATE",
  ]

  static let expectations = [
    """
    # Before all tests
    set DebugSettingsEnabled true
    test "Alice may not copy" at 2026-01-31T09:30:00Z
      as alice@contoso.example
      policy.isPINRequired -> true
      policy.isSaveToAllowedForLocation location=dropbox -> false because "saveAsBlocked"
      clock +2d
    """
  ]

  static let logs = [
    """
    2026-01-31 12:00:00.123 I/AuthCallbackUtils(3067): acquireToken failed: AADSTS65001: The user has not consented
    > IntuneMAM: Enrollment failed with status code 203 and error code 0
    {"AppPolicy": {"PINEnabled": true, "AllowedDataStorageLocations": ["OneDrive"]}, "status": 205}

    """
  ]

  static let graphRequests = [
    "/v1.0/deviceAppManagement/managedAppRegistrations?$filter=userId eq 'a' and startswith(displayName,'i')&$top=5",
    "/beta/users('a''b')/managedAppRegistrations?$select=id,displayName&$orderby=displayName desc&$count=true",
    "not (displayName in ('iOS', 'T_1')) or version ne null and (count ge 3)", "/v1.0/x?$skiptoken=VF8x&$skip=2",
  ]
}

/// With MAMBRIDGE_FUZZ_SEEDS, writes the seeds of the target to that folder, and ends.
@_cdecl("LLVMFuzzerInitialize")
package func writeSeeds(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
  guard let folder = getenv("MAMBRIDGE_FUZZ_SEEDS") else { return 0 }
  for (number, seed) in FuzzTarget.chosen.seeds.enumerated() {
    let file = open("\(String(cString: folder))/seed-\(number)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = seed.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
  }
  exit(0)
}
