#if TenantService
  import CPostgreSQL
  import Database

  /// A statement or a connection that failed. Its text has no value of a parameter or column, and no password.
  struct PostgreSQLFailure: Error {
    /// PostgreSQL's code of five characters; empty if the connection was lost.
    let code: String
    let text: String

    private init(code: String, text: String) {
      self.code = code
      self.text = text
    }

    init(_ result: OpaquePointer) {
      func field(_ name: Unicode.Scalar) -> String {
        PQresultErrorField(result, Int32(name.value)).map { String(cString: $0) } ?? ""
      }
      // The letters are PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY, PG_DIAG_CONSTRAINT_NAME and PG_DIAG_TABLE_NAME.
      let code = field("C")
      let text =
        switch code.prefix(2) {
        case "": field("M")
        case "23": "the constraint \(field("n")) of the table \(field("t"))"
        // The messages of these classes quote values: data exceptions and those that a function raises.
        case "22", "P0": "a value is not acceptable"
        default: field("M")
        }
      self.init(code: code, text: text)
    }

    /// The connection is lost, or there never was one.
    static func lost(_ text: String) -> PostgreSQLFailure {
      let lines = text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == "\t" || $0 == " " } }
      return PostgreSQLFailure(
        code: "", text: lines.isEmpty ? "the connection was lost" : lines.joined(separator: "; "))
    }

    /// A fault of this program, found before the server is asked.
    static func misuse(_ text: String) -> PostgreSQLFailure { PostgreSQLFailure(code: "42P02", text: text) }

    /// Other transactions were in the way: the same one may succeed when it is run again. What is
    /// there already may have been added by another one after this one began.
    var mayPassNextTime: Bool { ["40001", "40P01"].contains(code) || isDuplicate || isStale }

    /// A row with the same key, a table, a column, or another object with the same name is there.
    var isDuplicate: Bool { ["23505", "42P07", "42701", "42710"].contains(code) }

    /// A prepared statement is older than the schema, or a pooler between here and the server has dropped it.
    var isStale: Bool { ["26000", "0A000"].contains(code) }

    /// The connection is of no use any more; the server itself closes it.
    var endsConnection: Bool {
      code.isEmpty || code.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25P03"].contains(code)
    }

    var error: DatabaseError {
      DatabaseError(reason, code.isEmpty ? "PostgreSQL: \(text)" : "PostgreSQL: \(text) (\(code))")
    }

    private var reason: DatabaseError.Reason {
      if endsConnection || code == "55P03" { return .unavailable }
      return switch code.prefix(2) {
      case "23": .constraint
      // Rollbacks, resources, interventions of an operator, faults of the operating system; and what only connecting
      // meets: a refused login, a missing database.
      case "28", "3D", "40", "53", "57", "58": .unavailable
      default: .failed
      }
    }
  }
#endif
