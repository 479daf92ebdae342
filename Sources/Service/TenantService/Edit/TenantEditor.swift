import JSON
import Model
import Support

/// One change of a tenant that an administrator orders.
package enum TenantEdit: Hashable, Sendable {
  /// Adds an object, or replaces the one of the same id. It is whole, as Graph writes it: with its id, its type, its apps
  /// and its assignments, which is an empty list for nobody.
  case set(PolicyList, JSONObject)
  case remove(PolicyList, id: String)
  /// Adds a user as tenant.json has it, or replaces the one of the same id.
  case setUser(JSONObject)
  case removeUser(id: String)
}

/// Who orders an edit.
package struct TenantEditOrder: Sendable {
  /// For the audit and the history.
  package let actor: String
  /// Whether the edit may lead to a wipe of a registered device.
  package let mayWipe: Bool
  /// What gives the right to wipe, in words, for a refusal.
  let wipeRight: String

  package init(actor: String, mayWipe: Bool, wipeRight: String = "a role that may wipe") {
    (self.actor, self.mayWipe, self.wipeRight) = (actor, mayWipe, wipeRight)
  }
}

/// Changes the tenant where its truth is: in its folder, or in the database of the replicas.
package protocol TenantEditor: Sendable {
  /// Asks `change` what to change of the tenant as it is at the source now, and carries that out whole or not at all; asks
  /// again if somebody else has changed the tenant meanwhile. When it returns, the tenant is served as changed. Throws 503
  /// with a Retry-After if others do not stop changing it, 409 for what tenant.json overrides or for a folder that a pull
  /// writes, 403 for a wipe that the order does not allow.
  func edit(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError)

  /// What the edit would do to the registered devices, for `?$preview=true`. Changes nothing.
  func preview(
    _ order: TenantEditOrder, _ change: @Sendable (GraphTenant) throws(GraphError) -> [TenantEdit]
  ) async throws(GraphError) -> JSONObject
}
