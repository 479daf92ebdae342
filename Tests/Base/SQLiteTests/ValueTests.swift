import SQLite
import Testing

@Suite struct ValueTests {
  @Test(
    "Every SQLite value reads back as stored",
    arguments: [
      .null, .integer(.min), .integer(.max), .integer(0), .real(-0.5), .real(.greatestFiniteMagnitude), .text(""),
      .text("a\u{0}b"), .text("ışık 🙂"), .blob([]), .blob([0, 255]),
    ] as [Value])
  func roundTrip(_ value: Value) throws {
    let fixture = try Fixture()
    #expect(try fixture.connection.first("SELECT ?", value) { row in try row.value(0, as: Value.self) } == value)
  }

  @Test("Swift values read back from SQLite as the types they were bound as")
  func types() throws {
    let connection = try Fixture().connection
    let sql = "SELECT ?, ?, ?, ?, ?, ?, ?, ?"
    let row = try connection.first(sql, Int64(-1), 2, 1.5, "x", [7] as [UInt8], true, String?.none, Int?(3)) { row in
      (
        try row.value(0, as: Int64.self), try row.value(1, as: Int.self), try row.value(2, as: Double.self),
        try row.value(3, as: String.self), try row.value(4, as: [UInt8].self), try row.value(5, as: Bool.self)
      )
    }
    #expect(try #require(row) == (-1, 2, 1.5, "x", [7], true))
    let optionals = try connection.first(sql, 0, 0, 0, 0, 0, 0, String?.none, Int?(3)) { row in
      (try row.value(6, as: String?.self), try row.value(7, as: Int?.self), row.columnCount)
    }
    #expect(try #require(optionals) == (nil, 3, 8))
  }

  @Test("An SQLite column of the wrong type is an error with its name and both types, without the value")
  func mismatch() throws {
    let connection = try Fixture().connection
    let error = databaseFailure {
      _ = try connection.first("SELECT ? AS pin", "secret-1234") { row in try row.value(0, as: Int.self) }
    }
    #expect(error?.reason == .typeMismatch)
    #expect(error?.message == "column 0 (pin) holds TEXT, wanted INTEGER")
    #expect(error.map { "\($0)".contains("secret") } == false)
  }

  @Test(
    "Reading an SQLite value other than the integers 0 and 1 as Bool is a type mismatch",
    arguments: ["SELECT 2", "SELECT NULL", "SELECT 1.0", "SELECT 'true'", "SELECT x'01'"])
  func noBool(_ sql: String) throws {
    let connection = try Fixture().connection
    #expect(
      databaseFailure { _ = try connection.query(sql) { row in try row.value(0, as: Bool.self) } }?.reason
        == .typeMismatch)
  }

  @Test("SQLite text that is not UTF-8 is a type mismatch")
  func invalidText() throws {
    let connection = try Fixture().connection
    let error = databaseFailure {
      _ = try connection.query("SELECT CAST(x'FF' AS TEXT)") { row in try row.value(0, as: String.self) }
    }
    #expect(error?.reason == .typeMismatch)
  }

  @Test("Reading a column outside an SQLite row is a misuse error", arguments: [-1, 1])
  func outside(_ column: Int) throws {
    let connection = try Fixture().connection
    #expect(
      databaseFailure { _ = try connection.query("SELECT 1") { row in try row.value(column, as: Int.self) } }?.reason
        == .misuse
    )
  }
}
