// Tenancy is where policies come from: a folder of JSON files, or the sample tenant that is built in. `TenantReader`
// reads a folder into a `TenantSnapshot`, a value that never changes; `Targeting` says which policies of a snapshot
// are for a user, an app and a device, and why the others are not. `CachedTenant` reads a folder only if it may have
// changed.
//
// Users/ keeps the users of a file as its text, and decodes those that are asked for.
//
// A file that cannot be read is a fault of the snapshot, not an empty list: whoever asks then keeps the last good
// policies. Check/ finds in a folder what its author probably did not mean. Outcomes/ sorts users into classes that get
// the same. Filters/ evaluates assignment filters.
// Comparison/ asks two versions the same questions and tells which answers differ, and why.
// Variations/ says what a tenant would be with one setting changed.
// Removals/ compares two versions, so that a service does not take back what only seems to be missing.
//
// It knows no account of a device and no state: the same code serves the bridge, the tenant service and `tenant
// check`.

import JSON
import Model
import Policy

/// A source of accounts, policies and configurations.
package protocol Tenant: Sendable {
  /// Reads everything again. Throws if tenant.json cannot be read. If a policy or a configuration cannot be read,
  /// `policyFault` says why.
  func readAvailable() throws(TenantError) -> TenantSnapshot
}

extension Tenant {
  /// Reads everything again, or throws.
  package func read() throws(TenantError) -> TenantSnapshot { try readAvailable().whole() }
}

/// Why a tenant cannot be read.
package enum TenantError: Error, Hashable, Sendable {
  /// There is no tenant.
  case missing(path: String, hint: String)
  /// One file is damaged. The last good policies still apply.
  case unparsable(file: String, reason: String)
}

extension TenantError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing("", let hint): "there is no policy source. \(hint)"
    case .missing(let path, let hint): "there is no tenant folder at \(path). \(hint)"
    case .unparsable(let file, let reason): "\(file): \(reason)"
    }
  }
}

/// The place that policies come from.
package enum TenantLocation: Equatable, Sendable {
  /// No place. Enrollment ends with locationServiceFailure.
  case none
  /// The built-in tenant contoso.example.
  case sample
  /// A folder with a tenant.json.
  case folder(String)
}

extension TenantLocation {
  /// Reads what can be read of the tenant, as `Tenant.readAvailable` does. The files of a folder are read only if they may
  /// have changed.
  package func readAvailable() -> Result<TenantSnapshot, TenantError> {
    switch self {
    case .none: .failure(.missing(path: "", hint: "Name one with --tenant."))
    case .sample: Result { () throws(TenantError) in try SampleTenant().readAvailable() }
    case .folder(let path): Result { () throws(TenantError) in try CachedTenant.ofProcess.readAvailable(path) }
    }
  }

  /// Reads the whole tenant.
  package func read() -> Result<TenantSnapshot, TenantError> {
    readAvailable().flatMap { tenant in Result { () throws(TenantError) in try tenant.whole() } }
  }
}

extension JSONObject {
  /// The dictionary that a device stores: the object itself, or in a dump the object in `<bundle id>.MAMPolicies`.
  package var deviceDictionary: JSONObject? {
    if self["IntuneMAMPolicies"]?.objectValue != nil { return self }
    return members.lazy.compactMap(\.value.objectValue).first { $0["IntuneMAMPolicies"]?.objectValue != nil }
  }
}
