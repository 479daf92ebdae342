import TestSupport
import Testing

@testable import Model
@testable import Policy
@testable import Support
@testable import Tenancy

/// Compares what the questions find with what is found by asking about values that are drawn without looking at them.
@Suite struct ComparisonPropertyTests {
  private static func content(_ policies: [[SettingName: SettingValue]], _ kind: PolicyKind) -> ShareContent {
    ShareContent(
      policies: policies.enumerated().map { index, settings in
        .init(
          document: PolicyDocument(id: "T_\(index)", kind: kind, source: "-", settings: settings), isBlocking: false)
      })
  }

  /// The decisions of which some drawn value has another answer, and the decisions with a row, with and without title.
  private static func decisions(_ seed: UInt64) throws -> (differing: Set<String>, found: [String]) {
    var draw = Draw(random: SeededGenerator(state: seed))
    let kind = draw.one([PolicyKind.ios, .ios, .android, .android, .windows])
    let platform = try #require(kind.platforms.first)
    let policies = draw.policies(kind)
    let (old, new) = (content(policies, kind), content(draw.changed(policies, kind), kind))
    let shares = (ComparedShare(old, on: platform), ComparedShare(new, on: platform))
    var differing: Set<String> = []
    for _ in 0..<1_500 {
      let question = DrawnQuestion.drawn(&draw, on: platform)
      guard let before = question.answer(shares.0), let after = question.answer(shares.1) else { continue }
      if before != after { differing.insert(question.key) }
    }
    let found = AnswerChanges(shares.0, shares.1).changes.map { "\($0.questions.decision) \($0.questions.title)" }
    return (differing, found)
  }

  @Test("A comparison finds every decision whose answer differs for randomly drawn values", arguments: 0..<60)
  func completeness(seed: UInt64) throws {
    let decisions = try Self.decisions(seed)
    let untold = decisions.differing.filter { key in !decisions.found.contains { $0.hasPrefix(key + " ") || $0 == key }
    }
    #expect(untold == [])
  }

  /// Nothing changes what another account shares with this one: it restricts nothing, so it never asks the receiver.
  @Test("Randomly drawn values find differences in every kind of decision")
  func coverage() throws {
    let differing = try (100..<220).reduce(into: Set<String>()) { $0.formUnion(try Self.decisions($1).differing) }
    let decisions = Set(differing.map { $0.split(separator: " ").first.map(String.init) ?? "" })
    #expect(
      decisions == [
        "isContactSyncAllowed", "isWidgetContentSyncAllowed", "isSpotlightIndexingAllowed", "areSiriIntentsAllowed",
        "areAppIntentsAllowed", "isAppSharingAllowed", "isUploadToUnmanagedAllowed", "isPasteToUnmanagedAllowed",
        "isManagedBrowserRequired", "isFileEncryptionRequired", "shouldFileProviderEncryptFiles", "hasSaveRestriction",
        "hasOpenRestriction", "notificationPolicy", "protectsUnknownData", "isSaveToAllowedForLocation",
        "isOpenFromAllowedForLocation", "receivesFromOthers", "sendsToOthers", "isActionAllowed", "isKeyboardAllowed",
        "isDocumentPickerAllowed", "canReceive", "canSend", "copying", "pasting", "isURLAllowed", "openURL",
        "isUniversalLinkAllowed", "filterShareTargets", "encryptsSharedData", "isPINRequired",
        "pinForm", "pinLength", "pinHistory", "wrongPINs", "pinAge", "recheck", "biometrics", "conditionalLaunch",
      ])
  }

  @Test("The causes of a difference restore the old answer, and no smaller set of changes does", arguments: 0..<12)
  func causes(seed: UInt64) throws {
    var draw = Draw(random: SeededGenerator(state: seed &+ 1_000))
    let policies = draw.policies(.ios)
    let (old, new) = (Self.content(policies, .ios), Self.content(draw.changed(policies, .ios), .ios))
    let shares = (ComparedShare(old, on: .ios), ComparedShare(new, on: .ios))
    var search = CauseSearch(from: old, to: new, on: .ios)
    let all = old.changes(to: new)
    for questions in ContentComparison.questions(shares.0, shares.1) {
      for index in 0..<questions.count {
        let (before, after) = (questions.answer(shares.0, index), questions.answer(shares.1, index))
        guard before != after else { continue }
        let causes = search.smallest(of: questions, at: index, restoring: before)
        func restores(_ changes: [ContentChange]) -> Bool {
          questions.answer(ComparedShare(new.takingBack(changes, to: old), on: .ios), index) == before
        }
        #expect(restores(causes))
        #expect(!causes.isEmpty)
        for set in 1..<(1 << all.count) where set.nonzeroBitCount < causes.count {
          #expect(!restores(all.indices.filter { set & (1 << $0) != 0 }.map { all[$0] }))
        }
      }
    }
  }

  @Test("Equal policies have no differences, whatever they contain", arguments: 0..<10)
  func equality(seed: UInt64) throws {
    var draw = Draw(random: SeededGenerator(state: seed))
    let content = Self.content(draw.policies(.android), .android)
    let share = ComparedShare(content, on: .android)
    let comparison = AnswerChanges(share, share)
    #expect(comparison.changes.isEmpty)
    #expect(comparison.count > 100)
  }
}
