import Model
import Policy

extension CoreState {
  /// Any managed account, or the setting that there must be one.
  package var managementDecision: Decision<Bool> {
    guard !hasManagedAccount else { return Decision(true, .someAccountIsManaged) }
    return requiresPolicy ? Decision(true, .managementIsRequired) : Decision(false, .noAccountIsManaged)
  }

  /// No user is never managed.
  package func isManaged(_ reference: AccountReference?) -> Decision<Bool> {
    let isManaged = reference.flatMap(account)?.isManaged ?? false
    return Decision(isManaged, isManaged ? .accountIsManaged : .accountIsNotManaged)
  }
}
