import Model

extension CoreState {
  /// The whole policy of an account; without one of the effective identity, which may be nobody.
  package func report(about reference: AccountReference?) throws(MAMError) -> PolicyReport {
    let questions = try questions(about: reference)
    let known = questions.account.flatMap(account)?.account
    let account = known ?? questions.account.map(directory.account) ?? Account(accountId: nil, identity: nil)
    return questions.report(of: account, devicePINIsSet: device.devicePinSet)
  }
}
