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
  let policies: [PolicyDocument]
  let clock: ClockEntry?
  /// Whether there is neither policy nor configuration: such an account is not enrolled.
  let isEmpty: Bool
  /// As they are stored; a kind of which there is none is left out.
  let documents: [StoredAccount.DocumentKind: [String]]

  init(
    account: Account, tenantId: String, isMDM: Bool, policies: [PolicyDocument], appConfig: AppConfig,
    certificatePins: CertificatePins = .none, clock: ClockEntry? = nil
  ) {
    self.account = account
    self.tenantId = tenantId
    self.isMDM = isMDM
    self.policies = policies
    self.clock = clock
    isEmpty = policies.isEmpty && appConfig.isEmpty
    let documents: [StoredAccount.DocumentKind: [String]] = [
      .policy: policies.map(\.encoded), .configuration: [appConfig.encoded],
      .certificatePins: certificatePins.isEmpty ? [] : [certificatePins.encoded],
    ]
    self.documents = documents.filter { !$0.value.isEmpty }
  }
}
