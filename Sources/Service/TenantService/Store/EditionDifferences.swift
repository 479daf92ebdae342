import Tenancy

/// What changes in decisions between two versions of a tenant, as lines for an administrator. Names no user, and no value
/// of an app configuration.
package struct EditionDifferences: Sendable {
  package let lines: [String]
  /// Whether data would be removed that was not before.
  package let destroys: Bool

  package init(from old: TenantFileSet, to new: TenantFileSet) throws(EditionFault) {
    let differences: TenantDifferences
    do throws(TenantError) {
      let (before, after) = (try ComparedTenant(old), try ComparedTenant(new))
      do throws(ComparisonFault) { differences = try TenantDifferences(before, after) } catch {
        throw TenantError.unparsable(file: "tenant.json", reason: error.description)
      }
    } catch { throw EditionFault(description: error.description) }
    destroys = differences.effects.contains(.destroys)
    lines =
      differences.users.map { "\($0.effect.rawValue): \(Self.users($0.users.count)): \($0.kind.text)" }
      + (differences.pins.map { ["\($0.rawValue): certificate pins"] } ?? [])
      + differences.groups.flatMap { group in
        let apps = group.apps.map(\.text).briefly
        let devices = Set(group.devices.map(\.platform.rawValue)).sorted().joined(separator: ", ")
        return group.differences.map { difference in
          let subjects = difference.subjects.filter { !$0.isEmpty }.briefly
          let title = subjects.isEmpty ? difference.title : "\(difference.title) \(subjects)"
          let change = difference.isConfiguration ? "changed" : "\(difference.old) -> \(difference.new)"
          return "\(difference.effect.rawValue): \(Self.users(group.users.count)), \(apps) on \(devices): \(title): "
            + change
        }
      }
  }

  private static func users(_ count: Int) -> String { "\(count.grouped) user\(count == 1 ? "" : "s")" }
}

/// What an edition has changed, member by member, as lines for an administrator. They have digests of customSettings.
package struct EditionChanges: Sendable {
  package let lines: [String]

  /// `old` is `nil` for the first edition.
  init(from old: TenantFileSet?, to new: TenantFileSet) throws(EditionFault) {
    do throws(TenantError) {
      lines = TenantChanges(from: try old?.read(), to: try new.read(), hidesCustomSettings: true).lines
    } catch { throw EditionFault(description: error.description) }
  }

  /// What an edition that is kept has changed of the one before. Throws a `DatabaseError`, or an `EditionFault` if the one
  /// before is no longer kept.
  package init(of number: Int64, _ files: EditionFiles, in store: any GraphStore) async throws {
    let kept = try await store.editions(limit: Int(EditionLimits.count) + 1)
    let last = kept.first { $0.number < number }?.number
    let old = try await last.asyncFlatMap { try await store.files(ofEdition: $0) }
    guard old != nil || number == 1 else {
      throw EditionFault(
        description: "the edition before \(number) is no longer kept, so nobody knows what \(number) has changed")
    }
    try self.init(from: old?.served, to: files.served)
  }
}

extension Optional {
  fileprivate func asyncFlatMap<Value>(_ body: (Wrapped) async throws -> Value?) async throws -> Value? {
    if let self { try await body(self) } else { nil }
  }
}

/// Why editions cannot be compared.
package struct EditionFault: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
}
