import Support
import Tenancy

/// A tenant that a command compares or checks: a folder, the built-in tenant, or a folder of a git revision.
struct TenantVersion {
  private let content: Content

  private enum Content {
    case location(TenantLocation)
    case files(GitFiles)
  }

  /// Throws exit code 78 if there is no such tenant, with the reason and what to do.
  init(named name: String) throws {
    if name.hasPrefix(GitRevision.prefix) {
      content = .files(try GitRevision(argument: name).files(in: "."))
    } else {
      content = .location(try TenantLocation(argument: name))
    }
  }

  /// The whole tenant, as a check-in reads it, for a comparison. Throws if a file of it cannot be read.
  func compared() throws(TenantError) -> ComparedTenant {
    switch content {
    case .location(let location): try ComparedTenant(location)
    case .files(let files): try ComparedTenant(files)
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
