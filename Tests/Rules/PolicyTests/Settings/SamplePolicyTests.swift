import TestSupport
import Testing

@testable import Model
@testable import Policy

/// What the published policies must mean, written from the documentation of the methods, not from the code.
@Suite(.enabled(if: SharedFolder.isPresent, "the sample policies are missing")) struct SamplePolicyTests {
  struct Expectation: Sendable {
    let sample: String
    var isManagedBrowserRequired = false
    var isContactSyncAllowed = true
    var allAppsMayReceive = true
    var shouldFileProviderEncryptFiles = false
    var notifications = NotificationPolicy.allow
    /// With the owner's account, with none, with another unmanaged one; nil is every location.
    var saveOwn: Set<SaveLocation>?
    var saveNone: Set<SaveLocation>?
    var saveOther: Set<SaveLocation>?
    var openOwn: Set<OpenLocation>?
    var openNone: Set<OpenLocation>?
    var openOther: Set<OpenLocation>?
  }

  static func level2(_ sample: String) -> Expectation {
    Expectation(
      sample: sample, isManagedBrowserRequired: true, allAppsMayReceive: false, shouldFileProviderEncryptFiles: true,
      notifications: .blockOrgData, saveOwn: [.oneDriveForBusiness, .sharePoint, .localDrive, .accountDocument],
      saveNone: [], saveOther: [])
  }

  static func level3(_ sample: String) -> Expectation {
    var expectation = level2(sample)
    expectation.openOwn = [.oneDriveForBusiness, .sharePoint, .localStorage, .accountDocument]
    expectation.openNone = []
    expectation.openOther = []
    return expectation
  }

  static let expectations = [
    Expectation(sample: "ios-level1"), Expectation(sample: "android-level1"), level2("ios-level2"),
    level2("android-level2"), level3("ios-level3"), level3("android-level3"),
    Expectation(sample: "ios-minimal", isManagedBrowserRequired: true, isContactSyncAllowed: false),
  ]

  @Test("Microsoft's sample policies answer the property questions as documented", arguments: expectations)
  func properties(of expectation: Expectation) throws {
    let questions = try questions(expectation)
    let properties = questions.properties(.setOnManagedDevice)
    #expect(properties.isPINRequired)
    #expect(properties.isManagedBrowserRequired == expectation.isManagedBrowserRequired)
    #expect(properties.isContactSyncAllowed == expectation.isContactSyncAllowed)
    #expect(properties.isWidgetContentSyncAllowed == expectation.isContactSyncAllowed)
    #expect(properties.isSpotlightIndexingAllowed == expectation.allAppsMayReceive)
    #expect(properties.areSiriIntentsAllowed == expectation.allAppsMayReceive)
    #expect(properties.areAppIntentsAllowed == expectation.allAppsMayReceive)
    #expect(properties.isAppSharingAllowed)
    #expect(properties.isFileEncryptionRequired)
    #expect(properties.shouldFileProviderEncryptFiles == expectation.shouldFileProviderEncryptFiles)
    #expect(properties.notificationPolicy == expectation.notifications)
  }

  @Test("Microsoft's sample policies allow the documented save and open locations", arguments: expectations)
  func locations(of expectation: Expectation) throws {
    let questions = try questions(expectation)
    for (account, save, open) in [
      ("ALICE@contoso.example", expectation.saveOwn, expectation.openOwn),
      (nil, expectation.saveNone, expectation.openNone),
      ("", expectation.saveNone, expectation.openNone),
      ("bob@contoso.example", expectation.saveOther, expectation.openOther),
    ] as [(AccountReference?, Set<SaveLocation>?, Set<OpenLocation>?)] {
      let saved = questions.saveToLocations(locationAccount: account, in: FixedAccounts.nobody).value
      let opened = questions.openFromLocations(locationAccount: account, in: FixedAccounts.nobody).value
      for location in SaveLocation.allCases {
        #expect(saved[location] == (save?.contains(location) ?? true), "save \(location), \(account?.text ?? "nil")")
      }
      for location in OpenLocation.allCases {
        #expect(opened[location] == (open?.contains(location) ?? true), "open \(location), \(account?.text ?? "nil")")
      }
    }
  }

  private func questions(_ expectation: Expectation) throws -> PolicyQuestions {
    let document = try PolicyDocument.sample(expectation.sample)
    let platform: DevicePlatform = document.kind == .android ? .android : .ios
    let policy = try #require(CompiledPolicy(merging: [document], platform: platform))
    return PolicyQuestions(policy: policy, account: "alice@contoso.example")
  }
}
