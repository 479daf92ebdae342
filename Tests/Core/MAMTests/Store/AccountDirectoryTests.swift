import Testing

@testable import MAM
@testable import Model

@Suite struct AccountDirectoryTests {
  static let (a, b) = ("a0000000-44d7-43e1-9a83-5f2406dee5bd", "b0000000-44d7-43e1-9a83-5f2406dee5bd")
  let directory = AccountDirectory([a: "Alice@contoso.example", b: "bob@contoso.example", "number-7": "zoë@x.example"])

  @Test(
    "Account references are equal by name, in any ASCII case, or by a common object id",
    arguments: [
      (nil, nil, true), ("", "", true), (nil, "", false), ("", nil, false), (nil, "alice@contoso.example", false),
      ("", "alice@contoso.example", false), ("alice@contoso.example", "ALICE@CONTOSO.EXAMPLE", true),
      ("alice@contoso.example", " alice@contoso.example", false), (a, a.uppercased(), true),
      (a, "alice@contoso.example", true), ("ALICE@contoso.example", a.uppercased(), true), (a, b, false),
      (a, "bob@contoso.example", false), ("alice@contoso.example", "bob@contoso.example", false),
      ("eve@x", "EVE@x", true), ("eve@x", "mallory@x", false), ("eve@x", a, false), ("NUMBER-7", "zoë@x.example", true),
      ("zoë@x.example", "ZOË@x.example", false),
    ] as [(String?, String?, Bool)])
  func equality(first: String?, second: String?, areEqual: Bool) {
    let (first, second) = (first.map { AccountReference($0) }, second.map { AccountReference($0) })
    #expect(directory.areEqual(first, second) == areEqual)
    #expect(directory.areEqual(second, first) == areEqual)
  }

  @Test(
    "An account has the object id and the name that the directory knows",
    arguments: [
      ("", Account.noUser), (a.uppercased(), Account(accountId: a, identity: "Alice@contoso.example")),
      ("ALICE@contoso.example", Account(accountId: a, identity: "Alice@contoso.example")),
      ("Eve@x", Account(accountId: nil, identity: "Eve@x")),
      ("Number-7", Account(accountId: "number-7", identity: "zoë@x.example")),
      (
        "c0000000-44d7-43e1-9a83-5f2406dee5bd",
        Account(accountId: "c0000000-44d7-43e1-9a83-5f2406dee5bd", identity: nil)
      ),
    ])
  func halves(text: String, account: Account) {
    #expect(directory.account(of: AccountReference(text)) == account)
  }

  @Test("A stored name that now belongs to another user does not name the account")
  func passedOnName() {
    let key = AccountKey(Account(accountId: Self.b, identity: "Alice@contoso.example"))
    #expect(!key.isNamed("alice@contoso.example", directory))
    #expect(key.isNamed("bob@contoso.example", directory))
    #expect(key.isNamed("alice@contoso.example", AccountDirectory([:])))
    let unknown = AccountKey(Account(accountId: nil, identity: "alice@contoso.example"))
    #expect(unknown.isNamed(AccountReference(Self.a), directory))
  }

  @Test("Adding a name to a directory gives the same result as building it from all names")
  func adding() {
    let more = [(Self.a, "Same@x"), (Self.b, "SAME@X"), ("number-7", "zoë@x.example")]
    for first in more {
      for second in more where second.0 != first.0 {
        let all = AccountDirectory([first.0: first.1, second.0: second.1])
        let added = AccountDirectory([first.0: first.1]).adding(second.0, second.1)
        #expect(added?.identities == all.identities)
        for name in ["same@x", "ZOË@x.example", "zoë@x.example", Self.a, "number-7", "eve@x"] {
          #expect(added?.accountId(of: AccountReference(name)) == all.accountId(of: AccountReference(name)))
        }
      }
    }
    #expect(directory.adding(Self.a, "other@x") == nil)
  }

  @Test("A name that two object ids share belongs to the lower id")
  func twoIds() {
    for _ in 0..<50 {
      let directory = AccountDirectory([Self.b: "same@x", Self.a: "SAME@x"])
      #expect(directory.accountId(of: "same@x") == Self.a)
    }
  }
}
