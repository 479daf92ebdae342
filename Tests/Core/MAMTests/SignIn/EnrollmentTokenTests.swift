import Model
import Support
import Testing

@testable import MAM

@Suite struct EnrollmentTokenTests {
  private static let now = Timestamp(milliseconds: 1_000_000)
  private static let alice = Account(accountId: "1", identity: "alice@contoso.example")
  private static let other = "the token is for another tenant"

  private func fault(
    _ account: Account = alice, tenant: String? = nil, expires: Int64? = nil, mustName: Bool = false,
    wanted: String? = "T"
  ) throws -> String? {
    let token = EnrollmentToken(
      token: try #require(HostSecret("token")), account: account, tenantId: tenant,
      expires: expires.map { Timestamp(milliseconds: $0) }, mustNameAccount: mustName)
    return token.fault(for: Self.alice, tenantId: wanted, at: Self.now)
  }

  @Test(
    "A token is for the tenant of its account, whatever the case of the tenant's id",
    arguments: [
      ("T", "T", nil), ("t", "T", nil), ("T", "t", nil), (nil, "T", nil), ("x", nil, nil), ("x", "", nil),
      ("x", "T", other),
    ] as [(String?, String?, String?)])
  func tenant(_ tenant: String?, _ wanted: String?, _ expected: String?) throws {
    #expect(try fault(tenant: tenant, wanted: wanted) == expected)
  }

  @Test(
    "A token is usable until it expires",
    arguments: [(nil, true), (1_000_001, true), (1_000_000, false), (0, false)] as [(Int64?, Bool)])
  func expiry(_ expires: Int64?, _ isUsable: Bool) throws {
    #expect(try fault(expires: expires) == (isUsable ? nil : "the token has expired"))
  }

  @Test("A token of another account is refused, and one without an account if its provider must name it")
  func account() throws {
    let unnamed = Account(accountId: nil, identity: nil)
    #expect(try fault(Account(accountId: "2", identity: "bob@contoso.example")) == "the token is for another account")
    #expect(try fault(unnamed) == nil)
    #expect(try fault(unnamed, mustName: true) == "the answer does not say whose token it is")
  }
}
