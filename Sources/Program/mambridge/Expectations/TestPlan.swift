import Glibc
import Support
import Tenancy

/// The tests of files, each with the tenant that it is about.
struct TestPlan: Sendable {
  struct Item: Sendable {
    let file: String
    let test: ExpectedTest
    /// `nil` for the built-in tenant.
    let tenant: String?
  }

  enum Entry: Sendable {
    case test(Item)
    /// A file that cannot be read, so that the other files are run.
    case broken(TestOutcome)
  }

  /// In the order of the files and of their lines.
  let entries: [Entry]

  /// Reads the files, or if there are none all tests of the tenant. Without a tenant, each file tests the one that is
  /// nearest to it. `filter` is a part of the names of the tests. Throws if there is nothing to run.
  init(files: [String], tenant: String?, filter: String?) throws {
    let paths = try files.isEmpty ? Self.files(of: tenant) : files
    entries = try paths.flatMap { path in try Self.entries(of: path, tenant, filter) }
    guard !entries.isEmpty else {
      let message = filter.map { "no test has \"\($0.shown)\" in its name" } ?? "the files have no tests"
      throw CommandFailure(exitCode: 2, message: message)
    }
  }

  private static func entries(of path: String, _ tenant: String?, _ filter: String?) throws -> [Entry] {
    func broken(_ message: String, at place: ExpectationPlace = ExpectationPlace(line: 1, column: 1)) -> [Entry] {
      [.broken(TestOutcome(file: path, name: path, place: place, verdict: .broken, report: [message]))]
    }
    let tests: [ExpectedTest]
    do {
      tests = try ExpectationParser.script(FileContents.read(path.absolutePath), path: path).tests
    } catch let error as ExpectationError {
      return broken(error.message, at: error.place)
    } catch {
      return broken("cannot read the file: \((error as? SystemError)?.text ?? "\(error)")")
    }
    let folder = try Self.folder(tenant ?? Self.tenant(beside: path))
    return tests.filter { filter.map($0.name.includes) ?? true }.map { test in
      .test(Item(file: path, test: test, tenant: folder))
    }
  }

  /// The folder that a name of a tenant means; `nil` for the built-in tenant.
  static func folder(_ name: String) throws -> String? {
    guard case .folder(let path) = try TenantLocation(argument: name) else { return nil }
    return path
  }

  /// The folder with the tenant.json that is nearest to a file of tests.
  static func tenant(beside path: String) throws -> String {
    let folder = path.absolutePath.parentFolder
    for candidate in [folder, folder.parentFolder] where access(candidate + "/tenant.json", R_OK) == 0 {
      return candidate
    }
    throw CommandFailure(
      exitCode: 78,
      message: "there is no tenant.json beside \(path.shown) or in the folder above. Name a tenant with --tenant")
  }

  /// The files with tests of a tenant, in order.
  private static func files(of tenant: String?) throws -> [String] {
    guard let tenant, let folder = try Self.folder(tenant) else {
      throw CommandFailure(exitCode: 64, message: "name files with tests, or a folder that has some with --tenant")
    }
    let places: [String] = [folder, folder + "/tests"]
    let folders = places.filter { access($0, F_OK) == 0 }
    let files = try folders.flatMap { folder in
      try TestTenantFolder.names(in: folder).filter { $0.hasSuffix(".mamtest") }.map { "\(folder)/\($0)".shortPath }
    }
    guard !files.isEmpty else {
      throw CommandFailure(
        exitCode: 2, message: "there are no *.mamtest files in \(folder.shown) or in its folder tests")
    }
    return files
  }
}

extension String {
  /// The path from the current folder if it leads into it, as editors and CI servers name files.
  var shortPath: String {
    let folder = "".absolutePath
    return hasPrefix(folder) && count > folder.count ? String(dropFirst(folder.count)) : self
  }

  /// The folder of an absolute path.
  var parentFolder: String {
    let end = lastIndex(of: "/") ?? startIndex
    return end == startIndex ? "/" : String(self[..<end])
  }
}
