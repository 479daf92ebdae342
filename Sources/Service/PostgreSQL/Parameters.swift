#if TenantService
  import CPostgreSQL
  import Database

  /// The values of a statement's parameters, in PostgreSQL's binary format.
  struct Parameters {
    /// The type of each value; 0 for NULL, whose type PostgreSQL takes from its place.
    private(set) var types: [Oid] = []
    private var bytes: [UInt8] = []
    /// Where each value is in `bytes`; `nil` for NULL.
    private var places: [Range<Int>?] = []

    /// Throws unless each parameter of the statement has exactly one value, and for a text with NUL, which PostgreSQL
    /// cannot store.
    init(_ values: KeyValuePairs<String, DatabaseValue>, for statement: NumberedSQL) throws(PostgreSQLFailure) {
      for value in values where !statement.names.contains(value.key) {
        throw .misuse("a value for :\(value.key), which is no parameter in: \(statement.text)")
      }
      for name in statement.names {
        let found = values.filter { $0.key == name }
        guard found.count == 1 else {
          throw .misuse("\(found.count) values for the parameter :\(name) in: \(statement.text)")
        }
        guard append(found[0].value) else { throw .misuse("the text for :\(name) has a NUL") }
      }
      // An array without elements has no address, and a value without an address would be NULL.
      bytes.append(0)
    }

    /// Returns false for a text with NUL.
    private mutating func append(_ value: DatabaseValue) -> Bool {
      let start = bytes.count
      switch value {
      case .null:
        types.append(0)
        places.append(nil)
        return true
      case .integer(let integer):
        types.append(ValueType.int8)
        withUnsafeBytes(of: integer.bigEndian) { bytes += $0 }
      case .text(let text):
        types.append(ValueType.text)
        bytes += text.utf8
        if bytes[start...].contains(0) { return false }
      case .bytes(let value):
        types.append(ValueType.bytea)
        bytes += value
      }
      places.append(start..<bytes.count)
      return true
    }

    /// Calls `body` with what libpq takes: the values, their lengths and their formats.
    func withArrays<Result>(
      _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
      bytes.withUnsafeBytes { buffer in
        let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        return body(
          places.map { place in place.flatMap { range in start.map { $0 + range.lowerBound } } },
          places.map { Int32($0?.count ?? 0) }, places.map { _ in 1 })
      }
    }
  }

  /// PostgreSQL's numbers of types, from its catalog `pg_type`. They never change.
  enum ValueType {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let name: Oid = 19
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let text: Oid = 25
    static let unknown: Oid = 705
    static let bpchar: Oid = 1042
    static let varchar: Oid = 1043
    static let numeric: Oid = 1700
    static let void: Oid = 2278
  }
#endif
