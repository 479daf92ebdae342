import TestSupport
import Testing

@testable import Model

/// The names of the SDK's messages: each has a text here, or cannot be caused here.
@Suite(.enabled(if: SharedFolder.isPresent, "facts are missing")) struct MessageKeyTests {
  @Test("Each message of the SDK has either a text or a documented reason why it has none")
  func names() throws {
    let names = try Self.listed()
    #expect(names.count > 100)
    for name in names { #expect(Self.hasText(name) != (Self.absent[name] != nil), "\(name)") }
    for name in Self.absent.keys { #expect(names.contains(name), "\(name) is not in the facts") }
  }

  private static let keys = UserMessage.allCases.map(\.key)

  /// A name that ends with a star stands for all that begin so.
  private static func hasText(_ name: String) -> Bool {
    name.hasSuffix("*") ? keys.contains { $0.hasPrefix(name.dropLast()) } : keys.contains(name)
  }

  private static func listed() throws -> [String] {
    let text = try #require(SharedFolder.text("facts/app-protection.md"))
    let lines = text.split(separator: "\n").drop { !$0.hasPrefix("## 6. Message keys") }
    let items = lines.prefix { !$0.hasPrefix("-----") }.filter { $0.hasPrefix("- ") }
    return items.flatMap { item in
      item.drop { $0 != ":" }.dropFirst().separated.flatMap { Substring($0).alternatives }
    }
  }

  private static let noSuchAlert = "the host shows its own prompt for it, and the core only judges the answer"
  private static let oneRule = "each bound is a rule of its own, with a message of its own"
  private static let oneText = "the message is the same however many accounts there are"
  private static let hostWipes = "data is removed at once and the host goes on; AppWiped says so"

  /// Why.
  private static let absent = [
    "OutgoingFileLoadError_Message": "the host loads what it shares; a protected file that cannot be read is an error",
    "OutgoingAppStoreLinkBlocked*": "a link to a store is an address like any other",
    "IncomingDataBlockedWithIdentityMDM_Message": "whose data it is decides, not who manages that account",
    "IncomingDataBlockedUserRequiresPolicy_Message": "without a policy that is required the call is error 4001",
    "PolicyRequiresRestart_Cancel": "a restart that the host does not do is told, not asked",
    "PolicyRequiresRestartNow_Message": "the host restarts itself, or the user does when it suits",
    "AppWipedNoRestart": hostWipes, "AppWipeOnNextLaunch": hostWipes, "WipeNow": hostWipes,
    "OfflineWipeConfirm_Remove": noSuchAlert,
    "OfflineBlockWipeExtension_Message": "there are no extensions",
    "Set_Pin_Confirm": noSuchAlert, "Forgot_Pin_Title": noSuchAlert, "Forgot_Pin_Message": noSuchAlert,
    "Aplhanumeric_Allowed": "a PIN of letters is never too much",
    "Touch_ID_*": noSuchAlert, "FaceIdLocalizedReason": noSuchAlert,
    "Error_NoInternetConnectionText": "what the network is needed for has messages of its own",
    "AppBlockedUntilOSUpgraded_Message_SingleID": oneText, "AppBlockedUntilOSDowngraded_Message_SingleID": oneText,
    "AppBlockedUntilAppUpgraded_Message_SingleID": oneText, "AppBlockedUntilSDKUpgraded_Message_SingleID": oneText,
    "AppBlockedOSVersionRange_Message": oneRule, "AppWarningOSVersionRange_Message": oneRule,
    "ConditionalAccessStatusTimeout": "a host that is not answered in time has error -32003",
    "ConditionalAccessStatusTimeout_Title": "a host that is not answered in time has error -32003",
    "ConditionalAccessStatusUnknown": "every remediation ends with a status that is known",
    "ConditionalAccessStatusUnknown_Title": "every remediation ends with a status that is known",
    "ConditionalAccess_Progress_0..3": "the host shows progress where it wants to: remediationInProgress",
    "DeviceNonCompliant_Message": "only a device management could tell; DeviceRooted tells what is known here",
    "DeviceNotCompliant_Message": "only a device management could tell; DeviceRooted tells what is known here",
    "AppBlockedUntilITProRemediates_Message": "every block has a message that says what helps",
    "ClockedIn_*": "who is clocked in is told nothing",
    "AccountSwitch_*": "a second account is refused (singleManagedAccountMode), never exchanged for the first",
    "AccountSingleManagedAccount_*": "the status singleManagedAccountMode tells the host, who asked for the enrollment",
    "AutoEnrollment*": "nobody is asked at launch; the launch report tells the host",
    "Diagnostic_*": "the diagnostics are for support, in English",
  ]
}

extension Substring {
  /// At commas, semicolons and slashes outside of braces, without remarks in parentheses.
  fileprivate var separated: [String] {
    var (names, depth) = ([""], 0)
    for character in self {
      if "{(".contains(character) { depth += 1 }
      if "})".contains(character) { depth -= 1 }
      if depth == 0, ",;/".contains(character) { names.append("") } else { names[names.count - 1].append(character) }
    }
    return names.map { String($0.prefix { $0 != "(" }.filter { !$0.isWhitespace }) }
  }

  /// `a{b,c}d` is abd and acd, `a[b]` is a and ab.
  fileprivate var alternatives: [String] {
    guard let open = firstIndex(where: { "{[".contains($0) }),
      let close = self[open...].firstIndex(of: self[open] == "{" ? "}" : "]")
    else { return [String(self)] }
    let inner = self[index(after: open)..<close].split(separator: ",", omittingEmptySubsequences: false)
    let choices = self[open] == "{" ? inner : ["", inner[0]]
    return choices.flatMap { choice in Substring(self[..<open] + choice + self[index(after: close)...]).alternatives }
  }
}
