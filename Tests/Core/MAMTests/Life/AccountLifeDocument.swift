@testable import MAM
@testable import Model

/// Generates docs/account-life.md from the tables in the code.
enum AccountLifeDocument {
  static var text: String {
    [head, states, rules, names, requests, wipe, codes].joined(separator: "\n\n") + "\n"
  }

  private static let head = """
    # The life of an account

    This page lists the states of an account, what a check-in finds, and every status code. For each account,
    `tenant.status` reports the state (`life`), the reason, and the time of the next check-in.

    A test writes this page from the tables in `Sources/Core/MAM/Life`, and fails if the page differs. To write the page
    again, run `MAMBRIDGE_WRITE_DOCS=1 swift test --filter AccountLifeDocumentTests`.
    """

  private static var states: String {
    let rows = AccountLife.allCases.map { ["`\($0.rawValue)`", $0.text] }
    let note = """
      An account that was enrolled keeps its last good policy while it is retrying, offline or blocked. A refusal removes
      nothing, except in two cases: an administrator wipes and blocks the user, or the source says that the user is
      disabled or deleted, and the policy's `appActionIfUnableToAuthenticateUser` is `wipe`. A source that does not list
      the user has said nothing: nothing is removed, and the check-in does not count as contact with the source, so that
      the offline intervals of the policy go on.
      """
    return table("States", ["life", "meaning"], rows) + "\n\n" + note
  }

  private static var rules: String {
    let note = """
      An enrollment takes an account from `unenrolled` through `enrolling`; a check-in starts from any state but `wiping`.
      While a login waits for its user, an account that is not enrolled is `enrolling`, too. If several findings apply, the
      first one in the table counts.

      One transaction then stores these events, in this order:

      1. The status: `enrollmentDelegate.enrollmentRequestWithStatus` for an account that is not enrolled, even for a
         retry, and for an enrollment that is repeated after 90 days without an answer;
         `enrollmentDelegate.policyRequestWithStatus` for any other enrolled account.
      2. The events in the row whose value changed.
      3. `enrollmentManager.allowedAccountsDidChange`, if the policy source has other allowed accounts than before.

      The log gets one line in the category `enrollment`: `enroll <user:…>: status (code)`, `enroll again …` or
      `check in …`. If the code is below 200, the level is info; otherwise the line is a warning with the text of the
      status.

      After the first policy of an account, the host is asked to restart (`policyDelegate.restartApplication`), once in
      the life of a process. If the host does not restart, `policyManager.restartRequired` and `ui.showAlert` follow. If
      the row says so, a wipe follows.
      """
    let rows = LifeRule.all.map { rule in
      [
        rule.finding.text, rule.isEnrolled.map { $0 ? "yes" : "no" } ?? "either",
        "\(rule.code.sdkValue) `\(rule.code.rawValue)`", "`\(rule.meaning.life?.rawValue ?? "")`",
        rule.interval.rawValue,
        rule.wipes ? "the events of the wipe" : rule.changes.map { "`\($0)`" }.joined(separator: ", "),
      ]
    }
    return table(
      "What an enrollment or a check-in finds",
      ["found", "enrolled before", "status", "life afterwards", "next check-in after", "events after the status"], rows)
      + "\n\n" + note
  }

  private static let names = """
    ## Names of a user

    An object id always names the same user, a user principal name does not. If a user is renamed, the account keeps
    its policy and its data, and its statuses have the old name as `formerIdentity`. The old name no longer names the
    account: for that name, nothing is managed, and `policy.explain` says why. A host that passes object ids is not
    affected.

    If a user of the same name has another object id, the user was created again, or another user got the name. The
    account then ends with status 203, and keeps its last policy and its data, until it is unenrolled and enrolled
    again.

    MSAL identifies an account by `OBJECT.TENANT`. Pass the part before the dot; the whole identifier is refused.
    """

  private static var requests: String {
    """
    ## Requests of the host

    "By the table above" means that an enrollment is tried and ends as the table above says. "Unchanged" means that the
    account's life stays the same.

    | request | account | status | life afterwards | events |
    | --- | --- | --- | --- | --- |
    | registerAndEnrollAccount | `unenrolled` | by the table above | by the table above | by the table above |
    | registerAndEnrollAccount | enrolled | 208 `alreadyEnrolled` | unchanged | none, but a warning in the log |
    | registerAndEnrollAccount | only registered | the status of its last attempt; the text says when the next attempt is | unchanged | none, but a warning in the \
    log |
    | loginAndEnrollAccount | enrolled | 208 `alreadyEnrolled` | unchanged | none, but a warning in the log |
    | loginAndEnrollAccount | any other; the user signs in | by the table above | by the table above | by the table above |
    | loginAndEnrollAccount | any other; the user cancels | 219 `loginCanceled` | unchanged | \
    `enrollmentDelegate.enrollmentRequestWithStatus` |
    | loginAndEnrollAccount | any other; another user signs in, or there is no token | 203 `authRequired` | unchanged | \
    `enrollmentDelegate.enrollmentRequestWithStatus` |
    | loginAndEnrollAccount | any other; no host asks the user | error 8001 with a challenge | unchanged | none |
    | deRegisterAndUnenrollAccount | not `unenrolled` | 104 `unenrollmentSuccess` | `unenrolled` | \
    `enrollmentDelegate.unenrollRequestWithStatus`; also `policyManager.policyDidChange` and \
    `policyManager.managementRemoved` if the account had a policy, and `appConfig.didChange` if it had an app \
    configuration. Before, `policyDelegate.managementWillBeRemoved` tells the host that a policy ends |
    | deRegisterAndUnenrollAccount with withWipe | not `unenrolled` | 104 `unenrollmentSuccess` | `wiping`, then \
    `unenrolled` | the events of the wipe |
    | deRegisterAndUnenrollAccount with withWipe | not `unenrolled`, and a file or key cannot be removed | 215 \
    `failedToClearMamData` | `wiping` | `enrollmentDelegate.unenrollRequestWithStatus`, the first time |
    | any of the above | `wiping` | the wipe continues first; 215 if it does not finish | `wiping` | the events of the wipe |
    | deRegisterAndUnenrollAccount | `unenrolled`, and another account is enrolled | 214 `notEnrolledAccount` | unchanged \
    | `enrollmentDelegate.unenrollRequestWithStatus` |
    | deRegisterAndUnenrollAccount | `unenrolled`, and no account is enrolled | 213 `appNotEnrolled` | unchanged | \
    `enrollmentDelegate.unenrollRequestWithStatus` |
    | any of the above | no account given (for a login: an empty one) | 207 `nilAccount` | | the event of the request |
    """
  }

  private static let wipe = """
    ## A wipe

    A wipe is started by:

    - the host, with `withWipe`;
    - an administrator, with `operations` in tenant.json: `wipe` once, `wipeAndBlock` at every check-in at which the
      account has something in the app;
    - a rule of conditional launch;
    - too many wrong PINs;
    - a check-in that finds the user disabled or deleted, if the policy says so; a user who is not listed is not wiped.

    While the policy source says that wipes are on hold, only the host can start a wipe. Any other cause blocks the account
    instead, also offline. A refusal of the source can say that a hold begins or ends, as an answer can. Once the hold has
    ended, a cause that still applies wipes the account. A wipe that has started continues.

    All wipes take the same steps, in one process at a time:

    1. The store marks the account as `wiping`. From then on, its data can no longer be read or protected in this app.
       This is the commit point: if the process ends, the next process continues. The policy applies until the end.
    2. The account's keys in this app are destroyed, and every process clears them from its memory at its next call.
    3. The host is asked once, with `policyDelegate.wipeDataForAccount`. If it answers false, or does not answer within
       60 seconds, the core removes the files that belong to the account. Each file says which account it belongs to. A
       host that declares only `policyDelegate.wipeAuxiliaryDataForAccount` is asked to remove what is not in files; if
       it answers false, the wipe does not end, and the host is asked again at the next try.
    4. If this was the account's last app on the device, the keys that the account's apps share are destroyed, too.
    5. The core checks that no key and no file is left.
    6. One transaction makes the account `unenrolled`, or `blocked` after wipeAndBlock, and stores the events
       `policyManager.wipeDidComplete`, `enrollmentDelegate.unenrollRequestWithStatus` with 104 (not after wipeAndBlock),
       and, if the account had them, `policyManager.policyDidChange` and `policyManager.managementRemoved` for the
       policy, and `appConfig.didChange` for the app configuration.

    If a key or a file cannot be removed, status 215, the log and `tenant.status` name it. The wipe is tried again after
    1 minute, doubling to 60. `enrollmentDelegate.unenrollRequestWithStatus` reports the failure once.

    The log gets `wipe <user:…>: begun; …` with the cause, a line for each step that has something to report, and
    `wipe <user:…>: status (code)` at the end.

    PINs stay. A wipe does not find a file that was moved to another folder after the app last opened it. If that file
    is encrypted, it is unreadable; otherwise the host must remove it.
    """

  private static var codes: String {
    let rows = StatusMeaning.all.map { meaning in
      [
        "\(meaning.code.sdkValue) `\(meaning.code.rawValue)`", meaning.origin?.rawValue ?? "nothing",
        meaning.text,
      ]
    }
    return table("Every status code", ["status", "caused by", "when, or why never"], rows)
  }

  private static func table(_ title: String, _ columns: [String], _ rows: [[String]]) -> String {
    let lines = [columns, columns.map { _ in "---" }] + rows
    return "## \(title)\n\n" + lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }
}
