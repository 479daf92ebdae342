import JSON
import Support
import Tenancy

/// A test's own copy of a tenant folder.
struct TestTenantFolder {
  private let tenant: TenantWriter

  var path: String { tenant.path }

  init(copying original: String, to path: String) throws {
    tenant = try Self.result { () throws(TenantWriteError) in try TenantWriter(copying: original, to: path) }
  }

  /// Copies the folder `original`, or the built-in tenant if there is none.
  init(of original: String?, in path: String) throws {
    tenant = try Self.result { () throws(TenantWriteError) in
      if let original { return try TenantWriter(copying: original, to: path) }
      return try TenantWriter(sampleAt: path)
    }
  }

  /// Changes the files as a line of a test says. Throws what is wrong with the line.
  func apply(_ edit: TenantEdit) throws {
    switch edit {
    case .user(let user, let members):
      let members = try Self.values(members).map { ($0 == "enabled" ? "accountEnabled" : $0, $1) }
      try Self.result { () throws(TenantWriteError) in try tenant.setUser(user, members) }
    case .policy(let file, let members):
      let members = try Self.values(members)
      try Self.result { () throws(TenantWriteError) in try tenant.set(members, in: file) }
    case .remove(let file): try Self.result { () throws(TenantWriteError) in try tenant.remove(file) }
    }
  }

  /// Replaces the text of a file.
  func put(_ text: [UInt8], in file: String) throws {
    try Self.result { () throws(TenantWriteError) in try tenant.write(text, to: file) }
  }

  private static func values(_ members: [String]) throws -> [(String, JSONValue)] {
    try members.map { member in
      let argument = try ParameterArgument(member)
      return (argument.name, try argument.value(ParameterForms()))
    }
  }

  /// The names in a folder, in order.
  static func names(in folder: String) throws -> [String] {
    try result { () throws(TenantWriteError) in try TenantWriter.names(folder) }
  }

  private static func result<Value>(_ body: () throws(TenantWriteError) -> Value) throws -> Value {
    do throws(TenantWriteError) {
      return try body()
    } catch {
      throw CommandFailure(exitCode: 78, message: error.description.shown)
    }
  }
}
