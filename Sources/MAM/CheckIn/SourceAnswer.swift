import Model
import Policy

/// What the policy source says of an account, whatever was known before.
enum SourceAnswer: Sendable {
  case delivery(Delivery)
  /// The account gets nothing new; the text says why and what to do.
  case refusal(Finding, String)
  /// What the app holds of the account goes, whatever else there is to say of it.
  case wipe(WipeOrder)
}

/// What the policy source has for an account in this app.
struct Delivery: Sendable {
  /// With the names as the source writes them.
  let account: Account
  let tenantId: String
  let isMDM: Bool
  let content: DeliveryContent
  let clock: ClockEntry?
}
