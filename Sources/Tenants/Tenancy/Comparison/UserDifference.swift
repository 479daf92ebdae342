import Model
import Policy

/// What happens to users, apart from the decisions of their policies.
package struct UserDifference: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case added, removed, renamed, deleted, disabled, enabled, unlicensed, licensed, notAllowed, allowed
    case deviceOfAnother, noDeviceOfAnother, wipeOrdered, wipeTakenBack

    package var text: String {
      switch self {
      case .added: "added"
      case .removed: "removed from the list: status 203, the last policy stays"
      case .renamed: "renamed"
      case .deleted: "deleted: status 203"
      case .disabled: "disabled: status 203"
      case .enabled: "enabled"
      case .unlicensed: "without a license: status 200"
      case .licensed: "licensed"
      case .notAllowed: "no longer an allowed account"
      case .allowed: "an allowed account"
      case .deviceOfAnother: "the device is managed for another user: status 210"
      case .noDeviceOfAnother: "the device is no longer managed for another user"
      case .wipeOrdered: "wipe ordered"
      case .wipeTakenBack: "wipe taken back"
      }
    }

    fileprivate var effect: DecisionEffect {
      switch self {
      case .added, .removed, .renamed: .other
      case .deleted, .disabled, .unlicensed, .notAllowed, .deviceOfAnother: .tighter
      case .enabled, .licensed, .allowed, .noDeviceOfAnother, .wipeTakenBack: .looser
      case .wipeOrdered: .destroys
      }
    }
  }

  package let kind: Kind
  package let effect: DecisionEffect
  /// The app that a wipe is for; `nil` for every app.
  package let app: String?
  package internal(set) var users: SomeUsers
}

/// Collects the differences of users, in the order of their kinds.
struct UserDifferences {
  private struct Key: Hashable {
    let kind: UserDifference.Kind
    let effect: DecisionEffect
    let app: String?
  }

  private var users: [Key: SomeUsers] = [:]

  var all: [UserDifference] {
    let order = UserDifference.Kind.allCases
    let found = users.sorted { first, second in
      let places = (order.firstIndex(of: first.key.kind) ?? 0, order.firstIndex(of: second.key.kind) ?? 0)
      return (places.0, first.key.effect.rawValue, first.key.app ?? "") < (
        places.1, second.key.effect.rawValue, second.key.app ?? ""
      )
    }
    return found.map { UserDifference(kind: $0.key.kind, effect: $0.key.effect, app: $0.key.app, users: $0.value) }
  }

  mutating func add(_ kind: UserDifference.Kind, _ name: String, at place: Int, app: String? = nil, wipes: Bool = false)
  {
    let key = Key(kind: kind, effect: wipes ? .destroys : kind.effect, app: app)
    users[key, default: SomeUsers()].add(name, at: place)
  }

  /// A user that both versions list. `wipes` says whether the last policy wipes the data of a disabled account.
  mutating func add(_ user: TenantUser, was old: TenantUser, at place: Int, wipes: @autoclosure () -> Bool) {
    let name = user.userPrincipalName
    if name.lowercasedASCII != old.userPrincipalName.lowercasedASCII { add(.renamed, name, at: place) }
    if user.isDeleted != old.isDeleted, user.isDeleted {
      add(.deleted, name, at: place, wipes: old.isEnabled && wipes())
    } else if user.isEnabled != old.isEnabled {
      add(user.isEnabled ? .enabled : .disabled, name, at: place, wipes: !user.isEnabled && wipes())
    }
    if user.isLicensed != old.isLicensed { add(user.isLicensed ? .licensed : .unlicensed, name, at: place) }
  }

  mutating func add(_ new: Entitlement, was old: Entitlement, _ name: String, at place: Int) {
    if new.isAllowed != old.isAllowed { add(new.isAllowed ? .allowed : .notAllowed, name, at: place) }
    if new.isBesideDevice != old.isBesideDevice {
      add(new.isBesideDevice ? .deviceOfAnother : .noDeviceOfAnother, name, at: place)
    }
  }

  /// Wipes that only one version orders. An order is the same if type, user, app and time are.
  mutating func add(operationsOf new: TenantSnapshot, was old: TenantSnapshot, of wanted: (AccountReference) -> Bool) {
    let (before, after) = (Set(old.operations), Set(new.operations))
    for (tenant, others, kind) in [
      (new, before, UserDifference.Kind.wipeOrdered), (old, after, .wipeTakenBack),
    ] {
      for (place, operation) in tenant.operations.enumerated()
      where !others.contains(operation) && wanted(operation.user) {
        let name = tenant.user(for: operation.user)?.userPrincipalName ?? operation.user.text
        add(kind, name, at: place, app: operation.app)
      }
    }
  }
}
