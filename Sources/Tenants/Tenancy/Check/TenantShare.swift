import Model
import Policy

/// What one user gets in one app on one platform.
package struct TenantShare: Sendable {
  package enum App: Hashable, Sendable {
    case named(String)
    /// An app that the tenant does not name: an app of Microsoft, or any other.
    case otherOfMicrosoft, other

    /// The identifier that targeting compares.
    package var text: String {
      switch self {
      case .named(let name): name
      case .otherOfMicrosoft: "com.microsoft.*"
      case .other: "*"
      }
    }
  }

  package let user: TenantUser
  package let place: TenantPlace
  /// A clause that says why the user gets nothing, regardless of assignments; `nil` if there is no such reason.
  package let obstacle: String?
  package let policies: [PolicyDocument]
  package let configurations: [ConfigurationDocument]

  package var app: App { place.app }
  package var platform: DevicePlatform { place.device.platform }
  /// How the device is managed; `nil` if no filter asks, or if the tenant decides.
  package var managementType: ManagementType? { place.device.managementType }
}

extension TenantOutcomes {
  /// What these users get in each place. They must be the users of the outcomes, in the same order.
  func shares(of users: some Sequence<TenantUser>) -> [TenantShare] {
    let places = places.all
    var known: [Int: (policies: [PolicyDocument], configurations: [ConfigurationDocument])] = [:]
    return zip(users, classNumbers).flatMap { user, number in
      let found = classes[Int(number)]
      return places.enumerated().map { index, place in
        let result = result(of: found, at: index)
        let documents = known[result] ?? (policies(of: result), configurations(of: result))
        known[result] = documents
        return TenantShare(
          user: user, place: place, obstacle: found.entitlement.obstacle, policies: documents.policies,
          configurations: documents.configurations)
      }
    }
  }
}
