import Model
import Support

/// A registered account as the store holds it.
struct StoredAccount: Equatable, Sendable {
  /// What the policy source sent for an account, each kind in its order.
  enum DocumentKind: String, CaseIterable, Sendable {
    case policy, configuration
  }

  /// In the order of registration; 0 before the first save.
  var position = 0
  var account: Account
  /// Nil while the policy source has not told it.
  var tenantId: String?
  /// Nil when it is registered only.
  var enrolledAt: Timestamp?
  var isMDM = false
  var status: EnrollmentStatus?
  var checkedInAt: Timestamp?
  var documents: [DocumentKind: [String]] = [:]
}
