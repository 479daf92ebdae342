import Model
import SQLite

/// Takes a token that a host hands in by itself, after an attempt ended because there was none.
package struct TokenUpdate: Sendable {
  let core: Core

  /// Starts the attempt that waits for a token, at once. `nil` if none waits: the account is not registered, or its last
  /// attempt did not end for lack of a token. The token is not stored, only the time when it was given.
  package func supply(
    _ token: HostSecret, for reference: AccountReference
  ) async throws(MAMError) -> EnrollmentStatus? {
    try core.refresh()
    guard let account = core.state.account(reference), !account.isWiping, account.isWaitingForToken else { return nil }
    switch core.source.check(token, of: reference, wanting: reference) {
    case .signedIn(let user):
      try core.commit { transaction throws(SQLiteError) in try transaction.noteSignIn(of: user) }
      return try await core.enrollment.attemptAndFollowUp(reference)
    case .refused(let text): throw MAMError(.tokenRefused, text.text(in: .english))
    }
  }
}

extension AccountState {
  /// Whether the last attempt ended because there was no token, or a token of another user.
  fileprivate var isWaitingForToken: Bool { status?.statusCode.registeredStatus == .authorizationNeeded }
}
