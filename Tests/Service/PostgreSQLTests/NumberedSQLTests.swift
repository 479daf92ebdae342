#if TenantService
  import Testing

  @testable import PostgreSQL

  @Suite struct NumberedSQLTests {
    @Test(
      "Named parameters in SQL become numbered ones, except in quotes, comments and casts",
      arguments: [
        ("SELECT 1", "SELECT 1", []), (":a", "$1", ["a"]), ("(:a,:b_2,:a)", "($1,$2,$1)", ["a", "b_2"]),
        ("CAST(:a AS TEXT)", "CAST($1 AS TEXT)", ["a"]), (":a::text || x::int", "$1::text || x::int", ["a"]),
        ("':a' || :b || 'it''s :c'", "':a' || $1 || 'it''s :c'", ["b"]), ("\":a\" = :b", "\":a\" = $1", ["b"]),
        ("x -- :a\n, :b", "x -- :a\n, $1", ["b"]), ("x -- :a", "x -- :a", []),
        ("/* :a /* :b */ :c */ :d", "/* :a /* :b */ :c */ $1", ["d"]), ("/* :a", "/* :a", []), ("':a", "':a", []),
        ("$$ :a $$ :b", "$$ :a $$ $1", ["b"]), ("$t$ :a $$ $t$ :b", "$t$ :a $$ $t$ $1", ["b"]),
        ("a[1:2], a[:n]", "a[1:2], a[$1]", ["n"]), ("a$b$ = :c", "a$b$ = $1", ["c"]), ("x := :y", "x := $1", ["y"]),
        ("é:é", "é$1", ["é"]), (":", ":", []), ("a - b / c:d", "a - b / c$1", ["d"]),
      ] as [(String, String, [String])])
    func names(sql: String, text: String, names: [String]) {
      let statement = NumberedSQL(sql)
      #expect(statement.text == text)
      #expect(statement.names == names)
    }
  }
#endif
