#if TenantService
  import Database
  import Testing

  @testable import PostgreSQL

  @Suite struct PostgreSQLOptionsTests {
    struct Place: Sendable, CustomTestStringConvertible {
      let url: String
      var variables: [String: String] = [:]
      let mode: String

      var testDescription: String { "\(url) \(variables)" }
    }

    @Test(
      "sslmode defaults to verify-full if the PostgreSQL server may be on another machine",
      arguments: [
        Place(url: "postgresql:///mam", mode: "prefer"),
        Place(url: "postgresql://localhost/mam", mode: "prefer"),
        Place(url: "postgresql://[::1],127.0.0.1/mam", mode: "prefer"),
        Place(url: "postgresql:///mam?host=/run/postgresql", mode: "prefer"),
        Place(url: "postgresql://db.example/mam", mode: "verify-full"),
        Place(url: "postgresql://localhost,db.example/mam", mode: "verify-full"),
        Place(url: "postgresql://localhost/mam?hostaddr=192.0.2.1", mode: "verify-full"),
        Place(url: "postgresql:///mam", variables: ["PGHOST": "db.example"], mode: "verify-full"),
        Place(url: "postgresql:///mam", variables: ["PGHOST": "/run/postgresql"], mode: "prefer"),
        Place(url: "postgresql://localhost/mam", variables: ["PGHOST": "db.example"], mode: "prefer"),
        Place(url: "postgresql://localhost/mam", variables: ["PGHOSTADDR": "192.0.2.1"], mode: "verify-full"),
        Place(url: "postgresql:///mam?service=prod", mode: "verify-full"),
        Place(url: "postgresql://localhost/mam?service=prod", mode: "verify-full"),
        Place(url: "postgresql:///mam", variables: ["PGSERVICE": "prod"], mode: "verify-full"),
        Place(url: "postgresql://db.example/mam", variables: ["PGSSLMODE": "require"], mode: "require"),
      ])
    func sslMode(_ place: Place) throws {
      let options = try PostgreSQLOptions(url: place.url) { place.variables[$0] }
      #expect(options.keywords.first { $0.name == "sslmode" }?.value == place.mode)
    }

    @Test(
      "The error for a URL that cannot be read does not show its password",
      arguments: [
        "postgresql://db.example/mam?password=geheim%zz", "postgresql://db.example/mam?password=geheim&unknown=1",
        "postgresql://mam:geheim%zz@db.example/mam",
      ])
    func password(_ url: String) {
      let error = #expect(throws: DatabaseError.self) { try PostgreSQLOptions(url: url) { _ in nil } }
      #expect(error?.text.hasPrefix("the URL of the store cannot be read. Write ") == true, "\(error?.text ?? "")")
    }

    @Test("sslmode in the URL overrides the default") func url() throws {
      let names = try PostgreSQLOptions(url: "postgresql://db.example/mam?sslmode=disable") { _ in nil }
        .keywords.map(\.name)
      #expect(names.firstIndex(of: "sslmode") ?? .max < names.firstIndex(of: "dbname") ?? 0)
    }
  }
#endif
