import Model

extension CoreState {
  /// The whole policy of an account; without one of that which holds where no identity is set, which may be nobody.
  package func report(about reference: AccountReference?) throws(MAMError) -> PolicyReport {
    let questions = try questions(about: reference)
    let account = questions.account.map(named) ?? Account(accountId: nil, identity: nil)
    return questions.report(of: account, devicePINIsSet: device.devicePinSet)
  }
}
