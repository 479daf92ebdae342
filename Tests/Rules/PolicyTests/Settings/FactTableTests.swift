import TestSupport
import Testing

@testable import Model
@testable import Policy

/// The tables of the facts against the definitions.
@Suite(.enabled(if: SharedFolder.isPresent, "facts are missing")) struct FactTableTests {
  private static let enums: [any GraphEnum.Type] = [
    DataTransferLevel.self, ClipboardSharingLevel.self, DataStorageLocation.self, DataIngestionLocation.self,
    ManagedBrowserType.self, NotificationRestriction.self, DataEncryptionType.self, PhoneNumberRedirectLevel.self,
    MessagingRedirectAppType.self, PINCharacterSet.self, RemediationAction.self, DeviceThreatLevel.self,
    ThreatDefensePartnerPriority.self, PurviewEvaluationRequirement.self, AppManagementLevel.self, AppGroupType.self,
    FlaggedReason.self,
  ]

  /// The cells of the rows of one section.
  private func rows(_ section: String) throws -> [[String]] {
    let text = try #require(SharedFolder.text("facts/app-protection.md"))
    let lines = text.split(separator: "\n").drop { !$0.hasPrefix("### \(section) ") }.dropFirst()
    return lines.prefix { !$0.hasPrefix("###") }.filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|").map(\.trimmedASCII)
    }
  }

  @Test("Every policy enum has the words and numbers of Graph")
  func enumerations() throws {
    let rows = try rows("1.3")
    for type in Self.enums {
      let row = try #require(
        rows.first { $0[0].split(separator: " ").first.map(String.init) == type.graphName }, "\(type.graphName)")
      for member in row[1].split(whereSeparator: { ",;".contains($0) }).map({ $0.split(separator: " ") }) {
        let parts = member.filter { $0 != "β" }
        guard let word = parts.first, !word.hasPrefix("…"), word != "unknownFutureValue", word != "null" else {
          continue
        }
        #expect(type.words.contains(String(word)), "\(type.graphName) \(word)")
        guard parts.count > 1, let number = Int(parts[1]) else { continue }
        #expect(type.word(graphNumber: number) == String(word), "\(type.graphName) \(word)")
      }
    }
  }

  @Test("Every policy key in the documented SDK log is known to the import")
  func keys() throws {
    let rows = try rows("2.8").dropFirst()
    var (count, base) = (0, "")
    for row in rows {
      for key in row[0].split(whereSeparator: { ",;/".contains($0) }).map(\.trimmedASCII) {
        let isPart = key.hasPrefix("…")
        if !isPart { base = key.hasSuffix("ElseBlock") ? String(key.dropLast("ElseBlock".count)) : key }
        let name = isPart ? base + key.dropFirst() : key
        #expect(PolicyImport.isKnown(name), "\(name)")
        count += 1
      }
    }
    #expect(count > 50)
  }

  @Test("Every further policy key seen in dumps of devices is known to the import")
  func dumps() throws {
    let names = [
      "MinOSVersionWipe", "NonBioPassTimeout", "ManageableUniversalLinks", "BlockClockStatusWithGracePeriod",
      "MTDAppFriendlyName", "MTDAppLaunchUrl", "MTDAppStoreUrl", "IsMTDAppEnabledForWPJ", "WPJReplicationDelay",
      "DisableAria", "ADALTenantId", "QuickLookBlockedOverride", "ManagedBrowserURLListMode", "policyTemplateVersion",
      "restrictScreenshots", "useEnterpriseClipboard", "clipboardCharacterLengthException", "appRequiresCompliance",
      "managedPackageList", "restrictBackups", "saveToPersonal", "openFromPersonal", "requireFileEncryption",
      "transferSharingLevel", "receiveSharingLevel", "allowedBrowserType", "specificBrowser", "specificBrowserTitle",
      "requireUserPin", "appPinDisabled", "requireAuthentication", "launchOnlineTimeout", "launchOfflineTimeout",
      "secureBrowserUrlListMode", "secureBrowserUrlList", "minAppVersion",
    ]
    for name in names { #expect(PolicyImport.isKnown(name), "\(name)") }
  }
}
