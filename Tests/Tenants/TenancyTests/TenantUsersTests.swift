import JSON
import Model
import Policy
import TestSupport
import Testing

@testable import Tenancy

/// What a tenant.json is read as.
private struct Reading: Equatable {
  var users: [TenantUser] = []
  var warnings: [PolicyWarning] = []
  var others: [String] = []
  var error: String?

  init(_ file: () throws -> TenantFile?) {
    do {
      guard let file = try file() else {
        error = "not an object"
        return
      }
      let tenant = try TenantSnapshot(file)
      (users, warnings) = (Array(tenant.users), tenant.warnings)
      others = [tenant.tenantId, tenant.displayName, "\(tenant.assignments)", "\(tenant.operations)"]
      others.append("\(tenant.allowedAccounts as Any) \(tenant.listsOperations)")
    } catch {
      self.error = "\(error)"
    }
  }
}

@Suite("Users read in place from tenant.json") struct TenantUsersTests {
  private static func snapshot(_ text: String) throws -> TenantSnapshot {
    try TenantSnapshot(try #require(try TenantFile(Array(text.utf8)[...])))
  }

  /// A random tenant.json, mostly valid.
  private struct Generator {
    var random: SeededGenerator

    static let ids = [
      "87d349ed-44d7-43e1-9a83-5f2406dee5bd", "5bde3e51-d13b-4db1-9948-fe4b109d11a7",
      "c03e6eaa-b6ab-46d7-905b-73ec7ea1f755", "C03E6EAA-B6AB-46D7-905B-73EC7EA1F755", "no-guid", "no-GUID", "",
      "\\u0038\\u0037",
    ]
    static let names = [
      "alice@contoso.example", "ALICE@Contoso.example", "bob@contoso.example", "ju\u{308}rgen@contoso.example",
      "j\u{FC}rgen@contoso.example", "J\u{DC}RGEN@contoso.example", "\u{212A}im@contoso.example", "Kim@contoso.example",
      "kim@contoso.example", "\\u0061lice@contoso.example", "tab\\there", "", "😀@contoso.example",
      "\\ud83d\\ude00@contoso.example",
      #"\"q\" \\ \/ a\u0000b"#,
    ]
    static let oddities = [
      #""clock": {"status": "clockedIn"}"#, #""clock": {"status": "asleep", "age": 1}"#, #""clock": {}"#,
      #""clock": 5"#, #""clock": null"#, #""age": 5"#, #""cl\u006fck": {"updated": "\u0031", "status": "clockedOut"}"#,
      #""nested": {"id": "x", "list": [{"groups": ["}\"]"]}]}"#, #""licensed": "yes""#, #""groups": "staff""#,
      #""groups": ["staff", 5]"#,
      #""mail": 5"#, #""deleted": 0"#, #""\u0069d": "x""#, #""id": 5"#, #""displayName": {}"#,
      #""userPrincipalName": null"#, #""userPrincipalName": 7"#, #""number": 1e999"#,
      #""number": 99999999999999999999"#, #""accountEnabled": nul"#,
    ]

    mutating func one(of list: [String]) -> String { list.randomElement(using: &random) ?? "" }

    mutating func happens(_ times: Int, in all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < times }

    /// Users differ in their ids, unless `ids` are few.
    mutating func user(_ number: Int, isOdd: Bool) -> String {
      let digits = String(number + 100_000_000).dropFirst()
      let own = "0000\(digits.prefix(4))-44d7-43e1-9a83-5f24\(digits)"
      var members = [
        #""userPrincipalName": "\#(happens(1, in: 2) ? one(of: Self.names) : "u\(number)@contoso.example")""#
      ]
      if isOdd, happens(1, in: 10) { members = [] }
      if happens(5, in: 6) { members.append(#""id": "\#(isOdd ? one(of: Self.ids) : own)""#) }
      if happens(1, in: 2) { members.append(#""displayName": "\#(one(of: Self.names))""#) }
      if happens(1, in: 3) { members.append(#""mail": \#(one(of: ["null", #""""#, #""a@b""#]))"#) }
      for name in ["licensed", "accountEnabled", "deleted"] where happens(1, in: 3) {
        members.append(#""\#(name)": \#(one(of: ["true", "false", "null"]))"#)
      }
      if happens(1, in: 2) {
        members.append(#""groups": \#(one(of: ["[]", "null", #"["staff"]"#, #"[ "a" , "b\n" ]"#]))"#)
      }
      if isOdd, happens(1, in: 2) { members.append(one(of: Self.oddities)) }
      members.shuffle(using: &random)
      let comma = one(of: [",", ", ", " ,\n  "])
      return isOdd && happens(1, in: 30)
        ? one(of: ["5", "null", "[]", #""x""#]) : "{\(members.joined(separator: comma))}"
    }

    mutating func text() -> String {
      let count = Int.random(in: 0...12, using: &random)
      let oddities = one(of: ["0", "0", "1", "4"])
      let users = (0..<count).map { number in
        let isOdd = happens(Int(oddities) ?? 0, in: 4)
        return user(number, isOdd: isOdd)
      }
      var members = [#""users": [\#(users.joined(separator: one(of: [",", " ,\n"])))]"#, #""tenantId": "t""#]
      if happens(1, in: 4) { members.append(#""surprise": [{"users": [1]}]"#) }
      if happens(1, in: 4) { members.append(#""operations": [{"type": "wipe", "user": "a", "app": "*"}]"#) }
      if happens(1, in: 20) {
        members.append(one(of: [#""displayName": 5"#, #""users": []"#, #""assignments": [{}]"#]))
      }
      members.shuffle(using: &random)
      return "{\(members.joined(separator: ", "))}"
    }
  }

  @Test(
    "Users read in place give the same result, warnings and errors as parsing all of tenant.json", arguments: 0..<40)
  func sameAsWhole(seed: Int) throws {
    var generator = Generator(random: SeededGenerator(state: UInt64(seed)))
    var (valid, invalid) = (0, 0)
    for _ in 0..<60 {
      let text = generator.text()
      var bytes = Array(text.utf8)
      if generator.happens(1, in: 3), !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &generator.random)
        bytes[place] = UInt8.random(in: 0...255, using: &generator.random)
      }
      let expected = Reading { try TenantFile(whole: bytes[...]) }
      #expect(Reading { try TenantFile(bytes[...]) } == expected, "\(String(decoding: bytes, as: UTF8.self))")
      if expected.error == nil { valid += 1 } else { invalid += 1 }
    }
    #expect(valid > 5)
    #expect(invalid > 5)
  }

  @Test("A user is found by id or name, in any case, as in a list of all users", arguments: 0..<30)
  func found(seed: Int) throws {
    var generator = Generator(random: SeededGenerator(state: UInt64(seed)))
    for _ in 0..<40 {
      guard let tenant = try? Self.snapshot(generator.text()) else { continue }
      let list = Array(tenant.users)
      let names = list.flatMap { [$0.id, $0.userPrincipalName, $0.id.uppercased(), $0.userPrincipalName.uppercased()] }
      for name in names + Generator.names + Generator.ids + ["stranger"] {
        let account = AccountReference(name)
        func isNamed(_ user: TenantUser) -> Bool {
          user.id.lowercasedASCII == account.key || user.userPrincipalName.lowercasedASCII == account.key
        }
        let expected =
          account.kind == .noUser ? nil : list.first { !$0.isDeleted && isNamed($0) } ?? list.first(where: isNamed)
        #expect(tenant.user(for: account) == expected, "\(name)")
      }
    }
  }

  @Test("Users read in place equal a list of the same users in the same order")
  func collection() throws {
    let text =
      #"{"users": [{"userPrincipalName": "b@c"}, {"userPrincipalName": "a@c", "clock": {"status": "clockedIn"}}]}"#
    let users = try Self.snapshot(text).users
    #expect(users.count == 2)
    #expect(users.map(\.userPrincipalName) == ["b@c", "a@c"])
    #expect(users.last?.clock != nil)
    #expect(users == TenantUsers(Array(users)))
    #expect(users != TenantUsers(users.reversed()))
    #expect(users != [])
    #expect(try Self.snapshot(#"{"users": []}"#).users.isEmpty)
    #expect(try Self.snapshot("{}").users.isEmpty)
  }

  @Test("Users with unusual members are found among 20,000 others, complete with these members")
  func unusual() throws {
    let listed = (0..<20_000).map { number in
      let clock = number % 2 == 0 ? #", "clock": {"status": "clockedIn"}"# : ""
      return #"{"userPrincipalName": "u\#(number)@c"\#(clock)}"#
    }
    let tenant = try Self.snapshot(#"{"users": [\#(listed.joined(separator: ","))]}"#)
    for number in [0, 1, 9_999, 10_000, 19_998, 19_999] {
      let user = tenant.user(for: AccountReference("u\(number)@c"))
      #expect(user == tenant.users[number])
      #expect(user?.userPrincipalName == "u\(number)@c")
      #expect((user?.clock != nil) == (number % 2 == 0))
    }
  }

  @Test("A user without an id gets one that depends only on the name")
  func derivedIds() throws {
    let plain = try Self.snapshot(#"{"users": [{"userPrincipalName": "Alice@contoso.example"}]}"#).users
    let escaped = try Self.snapshot(##"{"users": [{"userPrincipalName": "\u0061lice@contoso.example"}]}"##).users
    #expect(plain.map(\.id) == escaped.map(\.id))
    #expect(plain.first?.id.isGUID == true)
  }

  @Test("At most 10,000 warnings about users are listed, and the last one counts the others")
  func manyWarnings() throws {
    let users = (0..<10_003).map { #"{"userPrincipalName": "u\#($0)@c", "id": "\#($0)"}"# }
    let tenant = try Self.snapshot(#"{"users": [\#(users.joined(separator: ","))], "more": 1}"#)
    #expect(tenant.warnings.count == 10_002)
    #expect(tenant.users.count == 10_003)
    #expect(tenant.warnings.first?.member == "more")
    #expect(tenant.warnings[10_000].member == "users/9999/id")
    #expect(tenant.warnings.last?.description == "tenant.json: users: have 3 more warnings, which are not listed")
  }

  @Test("One damaged user among 1,000 is an error that names the place")
  func damaged() throws {
    var users = (0..<1000).map { #"{"userPrincipalName": "u\#($0)@c"}"# }
    users[700] = #"{"userPrincipalName": "u700@c", "licensed": 1}"#
    users[800] = #"{"displayName": "nobody"}"#
    let reading = { (users: [String]) in
      Reading { try TenantFile(Array(#"{"users": [\#(users.joined(separator: ","))]}"#.utf8)[...]) }.error ?? ""
    }
    #expect(reading(users) == "tenant.json: users/700/licensed must be true or false")
    users[700] = users[3]
    users[800] = users[2]
    #expect(reading(users).hasPrefix("tenant.json: users/700 is the same user as users/3: the id "))
    users[999] = "7"
    #expect(reading(users) == "tenant.json: users must be a list of objects")
    users[998] = "{"
    #expect(reading(users).hasPrefix("line 1, column "))
  }
}
