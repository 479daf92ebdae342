import JSON
import Testing

@testable import Model

@Suite struct AccountAccessTests {
  @Test(
    "Each enrollment status code maps to a status of the Android SDK and the access a host may give",
    arguments: [
      ([100, 101, 103, 208], .enrollmentSucceeded, .allow), ([102, 104], .unenrollmentSucceeded, .block),
      ([200], .notLicensed, .unmanaged), ([203, 219], .authorizationNeeded, .block),
      ([209, 210, 211, 218, 227], .wrongUser, .block), ([213, 214], .unenrollmentFailed, .unmanaged),
      ([215], .unenrollmentFailed, .block), ([212], .enrollmentFailed, .allow), ([225], .enrollmentFailed, .unmanaged),
      (
        [201, 202, 204, 205, 206, 207, 216, 217, 220, 221, 222, 223, 224, 226], .enrollmentFailed,
        .block
      ),
    ] as [([Int], RegisteredAccountStatus, AccountAccess)])
  func table(_ codes: [Int], _ name: RegisteredAccountStatus, _ access: AccountAccess) throws {
    for number in codes {
      let code = try #require(EnrollmentStatusCode(sdkValue: number))
      #expect(code.registeredStatus == name, "\(number)")
      #expect(code.access(isEnrolled: false) == access, "\(number)")
    }
  }

  @Test(
    "An enrolled account keeps its access unless it is wiped, unenrolled or blocked",
    arguments: EnrollmentStatusCode.allCases)
  func enrolled(_ code: EnrollmentStatusCode) {
    let ends: Set<EnrollmentStatusCode> = [
      .wipeReceived, .unenrollmentSuccess, .failedToClearMamData, .deviceBlockedEnrollment,
    ]
    #expect(code.access(isEnrolled: true) == (ends.contains(code) ? .block : .allow))
  }

  @Test(
    "licensedNotTargeted counts as success only on Android at SDK level 21; codes under 200 always do",
    arguments: EnrollmentStatusCode.allCases)
  func noPolicy(_ code: EnrollmentStatusCode) {
    for platform in DevicePlatform.allCases {
      for level in SDKLevel.allCases {
        let isRead = code == .licensedNotTargeted && platform == .android && level == .sdk21
        #expect(code.didSucceed(on: platform, at: level) == (isRead || code.sdkValue < 200))
      }
    }
  }

  @Test("A status that counts as success at SDK level 21 has no error and keeps its status code")
  func reading() {
    let status = EnrollmentStatus(
      accountId: nil, identity: "alice@contoso.example", statusCode: .licensedNotTargeted, errorString: "why")
    let read = status.read(on: .android, at: .sdk21, isEnrolled: false)
    #expect(read.didSucceed)
    #expect(read.errorString == nil)
    #expect(read.statusCode == .licensedNotTargeted)
    #expect(read.access == .unmanaged)
    #expect(read.jsonValue["error"] == .null)
    #expect(status.read(on: .android, at: .sdk19, isEnrolled: false) == status)
    #expect(status.read(on: .ios, at: .sdk21, isEnrolled: false) == status)
  }

  @Test("An enrollment status of version 0.1.0, which has no access member, can still be read")
  func formerEvent() throws {
    var former =
      EnrollmentStatus(accountId: "1", identity: nil, statusCode: .newPoliciesReceived)
      .jsonValue.objectValue ?? [:]
    former["access"] = nil
    let read = try EnrollmentStatus.decode(JSONDocument(parsing: former.jsonText).root)
    #expect(read.access == .allow)
    #expect(read.didSucceed)
  }
}
