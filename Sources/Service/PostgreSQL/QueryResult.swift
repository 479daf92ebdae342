#if TenantService
  import CPostgreSQL
  import Database

  /// What a statement returned, in binary format; the owner of its handle.
  final class QueryResult {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    /// The failure that the server reports; `nil` for a success.
    var failure: PostgreSQLFailure? {
      switch PQresultStatus(handle) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK: nil
      default: PostgreSQLFailure(handle)
      }
    }

    /// How many rows the statement changed.
    var changes: Int {
      // A query counts what it returns.
      String(cString: PQcmdStatus(handle)).hasPrefix("SELECT") ? 0 : Int(String(cString: PQcmdTuples(handle))) ?? 0
    }

    func rows() throws(PostgreSQLFailure) -> [DatabaseRow] {
      let columns = (0..<PQnfields(handle)).map { (index: $0, type: PQftype(handle, $0)) }
      var rows: [DatabaseRow] = []
      rows.reserveCapacity(Int(PQntuples(handle)))
      for row in 0..<PQntuples(handle) {
        var values: [DatabaseValue] = []
        values.reserveCapacity(columns.count)
        for column in columns { values.append(try value(row, column.index, column.type)) }
        rows.append(DatabaseRow(values))
      }
      return rows
    }

    private func value(_ row: Int32, _ column: Int32, _ type: Oid) throws(PostgreSQLFailure) -> DatabaseValue {
      guard PQgetisnull(handle, row, column) == 0, type != ValueType.void else { return .null }
      let bytes = UnsafeRawBufferPointer(
        start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
      guard let value = DatabaseValue(bytes, type) else {
        let name = PQfname(handle, column).map { String(cString: $0) } ?? ""
        throw .misuse(
          "the column \(name) holds neither an integer nor text nor bytes (type \(type)); cast it in the statement")
      }
      return value
    }
  }

  extension DatabaseValue {
    /// From PostgreSQL's binary format. `nil` for a type without a counterpart, and for a number that is not whole or too
    /// large.
    fileprivate init?(_ bytes: UnsafeRawBufferPointer, _ type: Oid) {
      switch type {
      case ValueType.int2, ValueType.int4, ValueType.int8: self = .integer(bytes.integer)
      case ValueType.bool: self = .integer(bytes.first == 0 ? 0 : 1)
      case ValueType.text, ValueType.varchar, ValueType.bpchar, ValueType.name, ValueType.unknown:
        // The server has checked that it is UTF-8.
        self = .text(String(decoding: bytes, as: UTF8.self))
      case ValueType.bytea: self = .bytes(Array(bytes))
      case ValueType.numeric:
        guard let value = bytes.wholeNumeric else { return nil }
        self = .integer(value)
      default: return nil
      }
    }
  }

  extension UnsafeRawBufferPointer {
    /// A big-endian number with a sign.
    fileprivate var integer: Int64 {
      reduce(first.map { $0 >= 0x80 } == true ? -1 : 0) { $0 << 8 | Int64($1) }
    }

    /// A `numeric`, which is what `sum` of integers is: four numbers of two bytes (count of digits, weight of the first
    /// digit, sign, digits after the point), then the digits to the base 10,000.
    fileprivate var wholeNumeric: Int64? {
      guard count >= 8, count % 2 == 0 else { return nil }
      let numbers = stride(from: 0, to: count, by: 2).map { Int(self[$0]) << 8 | Int(self[$0 + 1]) }
      let (digits, weight, sign) = (numbers[4...], numbers[1], numbers[2])
      guard digits.count == numbers[0], sign == 0 || sign == 0x4000 else { return nil }
      if digits.isEmpty { return 0 }
      guard weight < 5, digits.count <= weight + 1 else { return nil }
      var value: Int64 = 0
      for index in 0...weight {
        let digit = index < digits.count ? Int64(digits[digits.startIndex + index]) : 0
        let (product, overflow) = value.multipliedReportingOverflow(by: 10_000)
        let (sum, carry) = product.subtractingReportingOverflow(digit)
        guard !overflow, !carry else { return nil }
        value = sum
      }
      // Summed up below zero, where there is one number more.
      if sign != 0 { return value }
      return value == .min ? nil : -value
    }
  }
#endif
