import JSON
import Policy
import TestSupport
import Testing

@testable import Tenancy

@Suite struct TenantVariationsTests {
  private let folder = TemporaryFolder()

  init() {
    folder.write(
      """
      {"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example", "groups": ["staff"]}],
       "assignments": [{"policy": "policies/a.json", "groups": ["staff"], "apps": ["*"]},
                       {"policy": "policies/nobody.json", "groups": ["others"], "apps": ["*"]}]}
      """, to: "tenant.json")
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_2", "printBlocked": true}"##,
      to: "policies/nobody.json")
  }

  private func variations(_ members: String) throws -> TenantVariations {
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", \##(members)}"##,
      to: "policies/a.json")
    return try TenantVariations(folder: folder.path)
  }

  private func texts(_ members: String) throws -> [String] {
    let setting = try #require(try variations(members).settings.first)
    return setting.variations.map { setting.text(of: $0) }
  }

  @Test("Only settings with an effect, in policies that apply to a user, are varied")
  func chosen() throws {
    let found = try variations(#""managedBrowser": "microsoftEdge", "pinRequired": true"#)
    #expect(found.settings.map(\.name) == [.pinRequired])
    #expect(found.settings.map(\.line) == [1])
    #expect(found.informingCount == 1)
  }

  @Test(
    "A setting is varied to the values next to it, the extremes, and not set",
    arguments: [
      (#""pinRequired": true"#, ["false"]), (#""minimumPinLength": 4"#, ["not set", "3", "5", "0", "65535"]),
      (#""minimumPinLength": 0"#, ["not set", "1", "65535"]),
      (
        #""periodOfflineBeforeWipeIsEnforced": "P90D""#, ["not set", "\"P89D\"", "\"P91D\"", "\"PT1M\""]
      ),
      (#""periodOfflineBeforeAccessCheck": "PT12H""#, ["not set", "\"PT11H\"", "\"PT13H\"", "\"PT1M\""]),
      (
        #""minimumRequiredOsVersion": "15.0""#, ["not set", "\"15.1\"", "\"0.1\"", "\"9999\""]
      ),
      (#""customBrowserProtocol": "contoso""#, ["not set", "\"contosox\""]),
    ])
  func values(members: String, expected: [String]) throws {
    #expect(try texts(members) == expected)
  }

  @Test("A setting can be varied in every form of policy file")
  func changes() throws {
    let settings = #""pinRequired": true, "printBlocked": true, "x-note": {"a": [1]}"#
    let one = ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", \##(settings)}"##
    let nameless = ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "printBlocked": false}"##
    let device = #"{"com.contoso.MAMPolicies": {"IntuneMAMPolicies": {"PINEnabled": 1, "PrintingBlocked": 0}}}"#
    for text in [one, "\u{FEFF}[\(nameless), \(one)]", "{\"value\": [\(one), \(nameless)]}", device] {
      folder.write(text, to: "policies/a.json")
      let tenant = try TenantVariations(folder: folder.path)
      #expect(tenant.settings.count >= 2, "\(text)")
      for setting in tenant.settings {
        for value in setting.variations {
          let changed = try tenant.text(changing: setting, to: value)
          #expect(changed != Array(text.utf8))
        }
      }
    }
  }

  @Test("A variation that would leave the policy without settings is refused")
  func whole() throws {
    let tenant = try variations(#""minimumPinLength": 4"#)
    let setting = try #require(tenant.settings.first)
    #expect(throws: TenantError.self) { try tenant.text(changing: setting, to: nil) }
    #expect(throws: Never.self) { try tenant.text(changing: setting, to: .integer(5)) }
  }
}
