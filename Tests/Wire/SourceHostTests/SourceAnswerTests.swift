import JSON
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Policy
@testable import SourceHost
@testable import Tenancy

/// What an answer to `source.checkIn` says about policies.
@Suite struct SourceAnswerTests {
  private func news(_ outcome: String, _ more: String) throws -> SourceNews {
    let user =
      #"{"id":"\#(FakeProgram.userId)","tenantId":"\#(FakeProgram.tenantId)","userPrincipalName":"alice@contoso.example"}"#
    return try read(#"{"outcome":"\#(outcome)","user":\#(user)\#(more)}"#)
  }

  private func read(_ text: String) throws -> SourceNews { try SourceNews(JSONDocument(parsing: text).root) }

  @Test(
    "An invalid answer of a source causes a fault that gives the reason",
    arguments: [
      ("null", "without an outcome"), ("[]", "without an outcome"), ("{}", "without an outcome"),
      (#"{"outcome":null}"#, "without an outcome"), (#"{"outcome":5}"#, "without an outcome"),
      (#"{"outcome":"gone"}"#, "with an outcome that mambridge does not know: gone."),
      (#"{"version":2,"outcome":5}"#, "in version 2 of the messages, but mambridge knows version 1"),
      (#"{"version":"1","outcome":"userUnknown"}"#, #"in version "1" of the messages"#),
      (#"{"outcome":"delivered"}"#, "with a user whose id is not a GUID"),
      (#"{"outcome":"delivered","user":"alice"}"#, "with a user whose id is not a GUID"),
      (#"{"outcome":"notModified","user":{"id":5}}"#, "with a user whose id is not a GUID"),
      (
        #"{"outcome":"userDeleted","user":{"id":"\#(FakeProgram.userId)","tenantId":"t"}}"#,
        "with a user whose tenantId is not a GUID"
      ),
      (#"{"outcome":"userUnknown","mdm":5}"#, "The answer of the policy source cannot be read: answer: mdm must be"),
      (#"{"outcome":"userUnknown","operations":{}}"#, "operations: must be a list, not {}"),
      (#"{"outcome":"userUnknown","hold":true}"#, "answer: /hold must be an object, not a boolean"),
      (#"{"outcome":"userUnknown","hold":{"since":"2026-01-01T00:00:00Z"}}"#, "answer: /hold/why is missing"),
      (#"{"outcome":"userUnknown","hold":{"why":"x","since":5}}"#, "answer: /hold/since must be a string"),
      (#"{"outcome":"userUnknown","hold":{"why":"x","since":"soon"}}"#, "/hold/since must be a time in RFC 3339"),
      (
        #"{"outcome":"userUnknown","hold":{"why":"x","since":"2026-01-01T00:00:00Z","ordered":1}}"#,
        "answer: /hold/ordered must be true or false"
      ),
    ])
  func none(text: String, reason: String) throws {
    let fault = #expect(throws: SourceFault.self) { try read(text) }
    #expect(fault?.kind == .broken, "\(fault?.text ?? "")")
    #expect(fault?.text.contains(reason) == true, "\(fault?.text ?? "")")
  }

  @Test("nextCheckIn stays between 1 minute and 1 day; nextCheckIn and etag of a wrong type are ignored")
  func forms() throws {
    let rows: [(String, Duration?, String?)] = [
      (#","nextCheckIn":1,"etag":"e""#, .seconds(60), "e"), (#","nextCheckIn":1e9,"etag":null"#, .seconds(86400), nil),
      (#","nextCheckIn":90.5"#, .seconds(90.5), nil), (#","nextCheckIn":"90","etag":5"#, nil, nil),
    ]
    for (more, nextCheckIn, etag) in rows {
      let news = try news("notLicensed", more)
      #expect(news.nextCheckIn == nextCheckIn)
      #expect(news.etag == etag)
      #expect(!news.isUnchanged)
    }
    #expect(try news("notModified", #","version":1.0"#).isUnchanged)
  }

  @Test("An answer with any outcome can have a hold; null means none, and a missing hold says nothing")
  func hold() throws {
    let since = #"{"why":"x","since":"1970-01-01T00:00:00Z""#
    for outcome in ["delivered", "notModified", "userDisabled", "userDeleted", "notLicensed"] {
      let held = try news(outcome, #","hold":\#(since),"ordered":true,"more":1}"#).hold
      #expect(held == SourceHold(WipeHold(why: "x", since: Timestamp(milliseconds: 1)), isOrdered: true))
      #expect(try news(outcome, #","hold":\#(since)}"#).hold?.isOrdered == false)
      for (none, isAbsent) in [("", true), (#","hold":null"#, false)] {
        let news = try news(outcome, none)
        #expect(news.hold == nil)
        #expect(news.absent.contains(.hold) == isAbsent)
      }
    }
    #expect(try read(#"{"outcome":"userUnknown","hold":\#(since)}}"#).hold != nil)
  }

  @Test("An operation without an id, or of an unknown type, is ignored with a warning")
  func operations() throws {
    let list = #"[{"id":"","type":"wipe"},{"id":"a","type":"Wipe"},5,{"id":"b","type":"wipeAndBlock"}]"#
    let news = try news("userDisabled", #","operations":\#(list)"#)
    #expect(news.tenant.operations.map(\.id) == ["b"])
    #expect(news.tenant.operations.map(\.kind) == [.wipeAndBlock])
    #expect(news.tenant.warnings.count { $0.text.contains("an operation without an id") } == 3)
  }

  private static let type = ##""@odata.type":"#microsoft.graph.iosManagedAppProtection""##

  @Test(
    "An invalid list of policies is a fault of the policies alone, and operations still apply",
    arguments: [
      ("", "policies: is missing"), (#","policies":null"#, "policies: is missing"),
      (#","policies":"none""#, "policies: must be a list"), (#","policies":{}"#, "policies: must be a list"),
      (#","policies":false"#, "policies: must be a list"),
      (#","policies":[5]"#, "element 0 of the list must be an object"),
      (#","policies":[{}]"#, "policies: the object has no @odata.type"),
      (#","policies":[{"id":"T_1"}]"#, "policies: the object has no @odata.type"),
      (#","policies":[{"pinRequired":true}]"#, "policies: the object has no @odata.type"),
      (#","policies":[{\#(type)}]"#, "policies: the object says nothing"),
      (#","policies":[{\#(type),"id":"T_1","displayName":"x","version":"1"}]"#, "the object says nothing"),
      (#","policies":[{\#(type),"PinRequired":true}]"#, "did you mean pinRequired?"),
      (#","policies":[{\#(type),"pinRequired":"maybe"}]"#, "pinRequired: must be true or false"),
      (#","policies":[{\#(type),"pinRequired":true},{\#(type)}]"#, "element 1 of the list: the object says nothing"),
      (#","policies":[{\#(type),"printBlocked":true,"pinRequired":"true or so"}]"#, "pinRequired: must be"),
      (#","policies":[{\#(type),"allowedOutboundDataTransferDestinations":"future"}]"#, "must be one of"),
      (#","policies":[],"hiddenDefaults":{}"#, "hiddenDefaults: must be a list"),
      (
        ##","policies":[],"hiddenDefaults":[{"@odata.type":"#x.defaultManagedAppProtection"}]"##,
        "hiddenDefaults: the object"
      ),
      (#","policies":[],"configurations":"x""#, "configurations: must be a list"),
      (#","policies":[],"configurations":[{"customSettings":[]}]"#, "configurations: the object has no @odata.type"),
      (#","policies":[{"IntuneMAMPolicies":{}}]"#, "no setting in IntuneMAMPolicies"),
    ])
  func fault(more: String, text: String) throws {
    let news = try news("delivered", more + #","operations":[{"id":"o1","type":"wipe"}],"allowedAccounts":["a@b.c"]"#)
    let fault = try #require(news.tenant.policyFault)
    #expect(fault.description.contains(text), "\(fault)")
    #expect(news.tenant.policies.isEmpty)
    #expect(news.tenant.operations.map(\.id) == ["o1"])
    #expect(news.tenant.allowedAccounts?.count == 1)
    #expect(news.says(.allowedAccounts))
    #expect(!news.says(.mdm))
  }

  @Test(
    "The lists of an answer may be empty, and all lists but the policies may be missing",
    arguments: [
      (#","policies":[]"#, 0), (#","policies":[],"hiddenDefaults":[],"configurations":null,"version":1"#, 0),
      (#","policies":[{\#(type),"pinRequired":false}],"version":null"#, 1),
      (#","policies":[{\#(type),"printBlocked":true,"managedBrowser":"netscape","version":5}]"#, 1),
      (#","policies":[{"IntuneMAMPolicies":{"PINEnabled":"1"}}]"#, 1),
    ])
  func whole(more: String, count: Int) throws {
    let news = try news("delivered", more)
    #expect(news.tenant.policyFault == nil)
    #expect(news.tenant.policies.count == count)
  }

  @Test(
    "Policies in an answer that delivers nothing are not read",
    arguments: ["notModified", "userDisabled", "notLicensed"])
  func nothing(outcome: String) throws {
    for more in ["", #","policies":"none""#, #","policies":[{}]"#] {
      let news = try news(outcome, more)
      #expect(news.tenant.policyFault == nil)
      #expect(!SourceAnswer.Member.allCases.contains(where: news.says))
    }
  }

  @Test("In a source's answer, a null member says that there is none, and a missing one says nothing")
  func silence() throws {
    #expect(try news("delivered", #","policies":[]"#).absent == Set(SourceAnswer.Member.allCases))
    for member in SourceAnswer.Member.allCases {
      let news = try news("delivered", #","policies":[],"\#(member)":null"#)
      #expect(news.says(member))
      #expect(news.absent == Set(SourceAnswer.Member.allCases).subtracting([member]))
    }
  }
}
