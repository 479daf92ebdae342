import Support
import Tenancy

/// A tenant that a command compares or checks: a folder, the built-in tenant, or a folder of a git revision.
struct TenantVersion {
  /// As it was named.
  let name: String
  /// What leads to a file of the tenant in front of its name: `tenant/`, or `HEAD:tenant/`, as git show takes it. Empty
  /// for the built-in tenant.
  let filePrefix: String
  private let content: Content

  private enum Content {
    case location(TenantLocation)
    case files(GitFiles)
  }

  /// Throws exit code 78 if there is no such tenant, with the reason and what to do.
  init(named name: String) throws {
    self.name = name
    if name.hasPrefix(GitRevision.prefix) {
      let revision = try GitRevision(argument: name)
      content = .files(try revision.files(in: "."))
      filePrefix = "\(revision.revision):\(revision.path.asFolder)"
      return
    }
    let location = try TenantLocation(argument: name)
    content = .location(location)
    if case .folder = location { filePrefix = name.asFolder } else { filePrefix = "" }
  }

  /// The whole tenant, as a check-in reads it. Throws if a file of it cannot be read.
  func snapshot() throws(TenantError) -> TenantSnapshot {
    switch content {
    case .location(let location): try location.read().get()
    case .files(let files): try files.readAvailable().whole()
    }
  }

  /// Who gets what, and what looks wrong. Throws if the folder has gone.
  func check() throws(TenantError) -> TenantCheck {
    switch content {
    case .location(let location): try TenantCheck(location)
    case .files(let files): try TenantCheck(files: files)
    }
  }
}

extension String {
  fileprivate var asFolder: String { isEmpty || hasSuffix("/") ? self : self + "/" }
}
