import Model
import Policy

extension CoreState {
  /// The configuration of an account; no user has none.
  package func appConfig(of reference: AccountReference?) -> AppConfig {
    reference.flatMap(account)?.appConfig ?? .empty
  }
}
