import Tenancy

/// The users who had a license and have none any longer. For their apps that is as if they were missing.
struct LostLicenses {
  let count: Int
  private let all: Int
  private let left: Int

  /// `old` and `new` are versions of one tenant.
  init(from old: TenantSnapshot, to new: TenantSnapshot) {
    func ids(_ tenant: TenantSnapshot, where isCounted: (TenantUser) -> Bool) -> Set<String> {
      Set(tenant.users.filter { !$0.isDeleted && isCounted($0) }.map(\.id.lowercasedASCII))
    }
    let licensed = ids(old, where: \.isLicensed)
    all = licensed.count
    count = licensed.intersection(ids(new) { !$0.isLicensed }).count
    left = ids(new, where: \.isLicensed).count
  }

  /// Whether more than the limit is lost, or the last license.
  func isExcessive(_ limit: RemovalLimit) -> Bool {
    count > 0 && (left == 0 || count * 100 > all * limit.percent)
  }

  var text: String { "licenses for \(count) of \(all) users who had one" }
}
