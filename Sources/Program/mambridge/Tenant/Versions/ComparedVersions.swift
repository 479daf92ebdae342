import Glibc
import JSON
import Model
import SourceHost
import Support
import Tenancy

/// The versions that `tenant diff` compares. One that is an address is pulled into a folder that ends with the process.
struct ComparedVersions {
  private let names: [String]
  private let pulls: [TenantPullProgram?]

  /// `options` are those of `mambridge-tenant pull`.
  init(_ old: String, _ new: String, options: [String]) {
    names = [old, new]
    pulls = names.map { TenantPullProgram.isAddress($0) ? TenantPullProgram($0, options: options) : nil }
  }

  var arePulled: Bool { pulls.contains { $0 != nil } }

  /// Ends the pull that runs, from any thread.
  var stop: @Sendable () -> Void {
    let pulls = pulls
    return { for pull in pulls { pull?.stop() } }
  }

  /// Both versions. Throws exit code 2 if one cannot be read whole. What is on this machine is read first: it fails at
  /// once, and says of which groups Graph is asked.
  func read() throws -> (old: ComparedTenant, new: ComparedTenant) {
    var versions: [ComparedTenant?] = []
    for (name, pull) in zip(names, pulls) {
      versions.append(pull == nil ? try Self.reading(name) { try TenantVersion(named: name).compared() } : nil)
    }
    let groups = versions.compactMap(\.self).flatMap(\.assignedGroups)
    for (index, pull) in pulls.enumerated() {
      if let pull { versions[index] = try Self.pulled(pull, groups) }
    }
    guard let old = versions[0], let new = versions[1] else {
      throw CommandFailure(exitCode: 2, message: "a version cannot be read")
    }
    return (old, new)
  }

  private static func pulled(_ pull: TenantPullProgram, _ groups: [String]) throws -> ComparedTenant {
    try reading(pull.address) {
      let folder = try ThrowawayFolder(for: .pull, trustsParents: false)
      defer { folder.remove() }
      // A pull locks the folder above its own, and this process has locked the outer one.
      let parent = folder.path + "/pulled"
      guard mkdir(parent, 0o700) == 0 else { throw SystemError.current }
      let tenant = parent + "/tenant"
      if pull.isGraph, !groups.isEmpty { try seed(tenant, groups) }
      try pull.run(into: tenant)
      return try ComparedTenant(
        pulledInto: tenant, from: PulledSource(address: pull.address, isGraph: pull.isGraph))
    }
  }

  /// A folder of which a pull learns only of which groups to ask.
  private static func seed(_ folder: String, _ groups: [String]) throws {
    let assignment: JSONValue = [
      "policy": "policies/ios.json", "groups": .array(groups.map { .string($0) }),
    ]
    let tenant: JSONValue = ["users": [], "assignments": [assignment]]
    let file = folder + "/tenant.json"
    guard mkdir(folder, 0o700) == 0 else { throw SystemError.current }
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError.current }
    defer { close(descriptor) }
    try WholeBytes.write(Array(tenant.jsonText.utf8), to: descriptor)
  }

  private static func reading<Value>(_ name: String, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as TenantError {
      throw unreadable(name, error.description)
    } catch let error as TenantPullProgram.Failure {
      throw unreadable(name, error.text)
    } catch let error as SystemError {
      throw unreadable(name, error.text)
    } catch let error as CommandFailure {
      throw CommandFailure(exitCode: 2, message: error.message)
    }
  }

  private static func unreadable(_ name: String, _ reason: String) -> CommandFailure {
    CommandFailure(exitCode: 2, message: "\(name.shown) cannot be read: \(reason)")
  }
}
