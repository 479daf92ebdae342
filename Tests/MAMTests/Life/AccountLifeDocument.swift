@testable import MAM
@testable import Model

/// docs/account-life.md, as the table in the code has it.
enum AccountLifeDocument {
  static var text: String {
    [head, states, rules, requests, wipe, codes].joined(separator: "\n\n") + "\n"
  }

  private static let head = """
    # The life of an account

    Written from the tables in `Sources/MAM/Life` by a test, which fails when this file differs; with
    `MAMBRIDGE_WRITE_DOCS=1 swift test --filter AccountLifeDocumentTests` it is written anew. `tenant.status` tells
    for each account where it stands (`life`), why, and when it checks in next.
    """

  private static var states: String {
    let rows = AccountLife.allCases.map { ["`\($0.rawValue)`", $0.text] }
    let note = """
      An account that was enrolled keeps its last good policy while it is retrying, offline or blocked. A refusal
      takes nothing away, but for that of a user whom an administrator wipes and blocks, and that of one who is disabled
      or not listed any more where the policy's `appActionIfUnableToAuthenticateUser` is `wipe`.
      """
    return table("States", ["life", "meaning"], rows) + "\n\n" + note
  }

  private static var rules: String {
    let note = """
      An attempt to enroll leads an account from `unenrolled` over `enrolling`, a check-in from any state but
      `wiping`. While a login waits for its user, an account that is not enrolled is `enrolling` too. Of several findings that hold the first counts. Then, in one change of the store: the status as
      `enrollmentDelegate.enrollmentRequestWithStatus` (of an account that is not enrolled, retries included, and an
      enrollment that is made anew after 90 days without an answer) or `enrollmentDelegate.policyRequestWithStatus` (of
      an enrolled account), and behind it those of
      the events that stand in the row whose value has changed. `enrollmentManager.allowedAccountsDidChange` follows
      where the source has other allowed accounts. The log gets one line in the category of enrollment,
      `enroll <user:…>: status (code)`, `enroll anew …` or `check in …`: of level info below 200, else a warning with
      the text of the status. Behind the first policy of an account the host is asked to restart
      (`policyDelegate.restartApplication`), once in the life of a process; when it does not,
      `policyManager.restartRequired` and `ui.showAlert` follow. Where it says so a wipe follows.
      """
    let rows = LifeRule.all.map { rule in
      [
        rule.finding.text, rule.isEnrolled.map { $0 ? "yes" : "no" } ?? "either",
        "\(rule.code.sdkValue) `\(rule.code.rawValue)`", "`\(rule.meaning.life?.rawValue ?? "")`",
        rule.meaning.interval?.rawValue ?? "",
        rule.wipes ? "those of the wipe" : rule.changes.map { "`\($0)`" }.joined(separator: ", "),
      ]
    }
    return table(
      "What an attempt to enroll or a check-in finds",
      ["found", "enrolled before", "status", "life then", "next check-in after", "events behind the status"], rows)
      + "\n\n" + note
  }

  private static var requests: String {
    """
    ## What the host asks for

    | request | of an account that is | status | life then | events |
    | --- | --- | --- | --- | --- |
    | registerAndEnrollAccount | `unenrolled` | as above | as above | as above |
    | registerAndEnrollAccount | enrolled | 208 `alreadyEnrolled` | as before | none, a warning in the log |
    | registerAndEnrollAccount | registered only | that of its last attempt | as before | none, a warning in the log |
    | loginAndEnrollAccount | enrolled | 208 `alreadyEnrolled` | as before | none, a warning in the log |
    | loginAndEnrollAccount | any other; the user signs in | as above | as above | as above |
    | loginAndEnrollAccount | any other; the user cancels | 219 `loginCanceled` | as before | \
    `enrollmentDelegate.enrollmentRequestWithStatus` |
    | loginAndEnrollAccount | any other; somebody else signs in, or without a token | 203 `authRequired` | as before | \
    `enrollmentDelegate.enrollmentRequestWithStatus` |
    | loginAndEnrollAccount | any other; no host asks the user | error 8001 with a challenge | as before | none |
    | deRegisterAndUnenrollAccount | in any other state | 104 `unenrollmentSuccess` | `unenrolled` | \
    `enrollmentDelegate.unenrollRequestWithStatus`; `policyManager.policyDidChange` and `appConfig.didChange` where \
    there was something |
    | the same, withWipe | in any other state | 104 `unenrollmentSuccess` | `wiping`, then `unenrolled` | those of the \
    wipe |
    | the same, withWipe | and a file or key of it cannot be removed | 215 `failedToClearMamData` | `wiping` | \
    `enrollmentDelegate.unenrollRequestWithStatus`, the first time |
    | any of them | `wiping` | the wipe goes on first; 215 while it does not end | `wiping` | as above |
    | deRegisterAndUnenrollAccount | `unenrolled`, another is enrolled | 214 `notEnrolledAccount` | as before | \
    `enrollmentDelegate.unenrollRequestWithStatus` |
    | deRegisterAndUnenrollAccount | `unenrolled`, none is enrolled | 213 `appNotEnrolled` | as before | \
    `enrollmentDelegate.unenrollRequestWithStatus` |
    | any, without an account (login: with an empty one) | | 207 `nilAccount` | | the request's own |
    """
  }

  private static let wipe = """
    ## A wipe

    The host (`withWipe`), an administrator (`operations` in tenant.json: `wipe` once, `wipeAndBlock` at every check-in
    at which the account has something here), a rule of conditional launch, the last of too many wrong PINs, or a
    check-in that finds the user disabled or not listed (where the policy says so) begins it; all take the same way, one
    process at a time:

    1. The wipe is marked in the store: the account is `wiping`, nothing of it can be read or protected in this app any
       more, and whatever ends the process, the next one goes on. This is the commit point. The policy stays in force
       until the end.
    2. The keys that this app has of it are destroyed, and cleared from the memory of every process at its next call.
    3. The host is asked, once: `policyDelegate.wipeDataForAccount`. When it answers false, or not within 60 seconds,
       the core removes the files that belong to the account, as each of them says itself.
    4. When this was the last app of the account on the device, the keys that its apps share are destroyed too.
    5. It is verified that no key and no file is left.
    6. In one change of the store the account is `unenrolled`, by wipeAndBlock `blocked`, and there are the events
       `policyManager.wipeDidComplete`, `enrollmentDelegate.unenrollRequestWithStatus` with 104 (not by wipeAndBlock),
       and `policyManager.policyDidChange` and `appConfig.didChange` where there was something.

    What cannot be removed is named in status 215, in the log and by `tenant.status`, and tried again after a minute,
    doubling to 60; `enrollmentDelegate.unenrollRequestWithStatus` tells of it once. The log gets
    `wipe <user:…>: begun …`, a line for each step that has something to tell, and `wipe <user:…>: status (code)` at
    the end. PINs stay. A file that was moved to another folder since the app last opened it is not found: encrypted it
    is unreadable, otherwise the host must remove it.
    """

  private static var codes: String {
    let rows = StatusMeaning.all.map { meaning in
      [
        "\(meaning.code.sdkValue) `\(meaning.code.rawValue)`", meaning.origin?.rawValue ?? "nobody here",
        meaning.text,
      ]
    }
    return table("Every status code", ["status", "caused by", "when, or why not"], rows)
  }

  private static func table(_ title: String, _ columns: [String], _ rows: [[String]]) -> String {
    let lines = [columns, columns.map { _ in "---" }] + rows
    return "## \(title)\n\n" + lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
