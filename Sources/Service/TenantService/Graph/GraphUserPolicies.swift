import Database
import JSON
import Model
import Tenancy

/// Which policies a user gets, and why an app may have none of them.
extension GraphRoute {
  static let userPolicies: [GraphRoute] = [
    GraphRoute("users/*/getManagedAppPolicies") { call, keys in
      try call.policies(ofUser: await call.userId(keys[0]))
    },
    GraphRoute("me/getManagedAppPolicies") { call, _ in try call.policies(ofUser: call.me()) },
    GraphRoute("users/*/getManagedAppDiagnosticStatuses") { call, keys in
      try await call.diagnosis(ofUser: await call.userId(keys[0]))
    },
    GraphRoute("me/getManagedAppDiagnosticStatuses") { call, _ in try await call.diagnosis(ofUser: call.me()) },
  ]
}

extension GraphCall {
  private static let mostRegistrations = 1000

  /// The policies and configurations that apply in any app, on any platform.
  func policies(ofUser id: String) throws -> GraphAnswer {
    let policies = tenant.policies(reaching: tenant.user(id)).filter { isBeta || !$0.list.isBeta }
    let objects = policies.map { visible($0.object) }
    let query = try query(of: .policy(nil, isBeta: isBeta).adding(objects))
    return try page(objects, "Collection(microsoft.graph.managedAppPolicy)", query)
  }

  func diagnosis(ofUser id: String) async throws -> GraphAnswer {
    let query = try query(of: .diagnosis, Self.itemOptions)
    let registrations = try await store.graphRegistrations(
      after: nil, limit: Self.mostRegistrations, user: id, endedSince: nil)
    let validations = tenant.validations(of: tenant.user(id), registrations)
    return .value([
      "@odata.context": context("Collection(microsoft.graph.managedAppDiagnosticStatus)"),
      "value": .array(validations.map { .object(query.selected($0.graph)) }),
    ])
  }
}

/// Something that must be true for an app to be protected.
private struct GraphValidation {
  enum State: String { case passed, failed, notApplicable }

  let name: String
  let state: State
  /// For administrators; empty unless it failed.
  let instruction: String

  /// `isMet` is `nil` if the question does not arise.
  init(_ name: String, _ isMet: Bool?, else instruction: String) {
    self.name = name
    state = isMet.map { $0 ? .passed : .failed } ?? .notApplicable
    self.instruction = state == .failed ? instruction : ""
  }

  var graph: JSONObject {
    [
      "@odata.type": "#microsoft.graph.managedAppDiagnosticStatus", "validationName": .string(name),
      "state": .string(state.rawValue), "mitigationInstruction": .string(instruction),
    ]
  }
}

extension GraphTenant {
  fileprivate func policies(reaching user: TenantUser?) -> [Policy] {
    guard let user else { return [] }
    let shares = snapshot.shares(of: user)
    let ids = Set(shares.flatMap { $0.policies.map(\.id) + $0.configurations.map(\.id) })
    return policies.filter { ids.contains($0.id) }
  }

  fileprivate func validations(of user: TenantUser?, _ registrations: [GraphRegistration]) -> [GraphValidation] {
    let isEntitled = user.map { $0.isEnabled && $0.isLicensed } ?? false
    let late = registrations.first { !$0.hasApplied(intended(for: $0).map(\.id)) }
    let rooted = registrations.first(where: \.isJailbroken)
    return [
      GraphValidation(
        "userListed", user != nil, else: "The tenant does not list the user. Add the user, or wipe the user's devices."),
      GraphValidation(
        "accountEnabled", user?.isEnabled, else: "The account is disabled. Enable it, or wipe the user's devices."),
      GraphValidation("userLicensed", user?.isLicensed, else: "The user has no license. Assign one."),
      GraphValidation(
        "policyAssigned", isEntitled ? !policies(reaching: user).isEmpty : nil,
        else: "No policy applies to the user in any app. Assign a policy to a group of the user."),
      GraphValidation(
        "appRegistered", !registrations.isEmpty,
        else: "No app of the user has checked in. Let the user sign in to an app."),
      GraphValidation(
        "policiesApplied", registrations.isEmpty ? nil : late == nil,
        else: "\(late?.appId ?? "") on the device \(late?.deviceTag ?? "") lacks policies. Let it check in."),
      GraphValidation(
        "deviceHealthy", registrations.isEmpty ? nil : rooted == nil,
        else: "The device \(rooted?.deviceTag ?? "") is jailbroken or rooted. Replace it, or wipe it."),
    ]
  }
}
