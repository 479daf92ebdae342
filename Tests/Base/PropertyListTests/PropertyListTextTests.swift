import JSON
import PropertyList
import Testing

@Suite struct PropertyListTextTests {
  private func edited(
    _ before: String, _ edit: (inout PropertyListText) throws(PropertyListError) -> Void
  ) throws -> String {
    var text = try PropertyListText(Array("<plist>\(before)</plist>".utf8))
    try edit(&text)
    let after = String(decoding: text.bytes, as: UTF8.self)
    return String(after.dropFirst("<plist>".count).dropLast("</plist>".count))
  }

  static let arrays: [(String, String)] = [
    ("<array/>", "<array><!-- new --><string>b</string></array>"),
    ("<array></array>", "<array><!-- new --><string>b</string></array>"),
    (
      "<array><string>a</string></array>",
      "<array><string>a</string><!-- new --><string>b</string></array>"
    ),
    ("\n<array/>\n", "\n<array>\n\t<!-- new -->\n\t<string>b</string>\n</array>\n"),
    ("\r\n  <array />", "\r\n  <array>\r\n  \t<!-- new -->\r\n  \t<string>b</string>\r\n  </array>"),
    ("\n<array>\n</array>", "\n<array>\n\t<!-- new -->\n\t<string>b</string>\n</array>"),
    ("\n<array>\n<!-- x -->\n</array>", "\n<array>\n<!-- x -->\n\t<!-- new -->\n\t<string>b</string>\n</array>"),
    (
      "\n<array>\n    <true/> <!-- x -->\n\n</array>",
      "\n<array>\n    <true/> <!-- x -->\n    <!-- new -->\n    <string>b</string>\n\n</array>"
    ),
    (
      "\n<array>\n<true/>\n</array>",
      "\n<array>\n<true/>\n<!-- new -->\n<string>b</string>\n</array>"
    ),
  ]

  @Test("Strings are appended to an array of a property list in the layout of the array", arguments: arrays)
  func append(before: String, after: String) throws {
    #expect(
      try edited(before) { text throws(PropertyListError) in
        try text.append(["b"], toArrayAt: [], comment: "new")
      } == after)
  }

  static let dictionaries: [(String, PropertyListPath, JSONValue, String)] = [
    ("<dict/>", ["a"], "<&>", "<dict><!-- new --><key>a</key><string>&lt;&amp;&gt;</string></dict>"),
    (
      "\n<dict>\n  <key>a</key>\n  <true/>\n</dict>", ["b", "c"], [],
      """

      <dict>
        <key>a</key>
        <true/>
        <!-- new -->
        <key>b</key>
        <dict>
          <key>c</key>
          <array/>
        </dict>
      </dict>
      """
    ),
    (
      "\n<dict>\n  <key>a</key> <!-- x -->\n  <true/>\n</dict>", ["a"], ["k": 1],
      """

      <dict>
        <!-- new -->
        <key>a</key> <!-- x -->
        <dict>
          <key>k</key>
          <integer>1</integer>
        </dict>
      </dict>
      """
    ),
    (
      "\n<dict>\n\t<key>a</key>\n\t<array>\n\t\t<!-- x -->\n\t</array>\n</dict>", ["a"], true,
      "\n<dict>\n\t<!-- new -->\n\t<!-- x -->\n\t<key>a</key>\n\t<true/>\n</dict>"
    ),
    (
      "<dict><key>a</key><true/></dict>", ["a"], ["x", 1.5, false],
      "<dict><!-- new --><key>a</key><array><string>x</string><real>1.5</real><false/></array></dict>"
    ),
    (
      "\r\n<array>\r\n<dict>\r\n</dict></array>", [0, "a"], "x\ny\r\nz",
      "\r\n<array>\r\n<dict>\r\n\t<!-- new -->\r\n\t<key>a</key>\r\n\t<string>x\r\ny\r\nz</string>\r\n</dict></array>"
    ),
  ]

  @Test(
    "Setting an entry of a property list replaces it or creates it with all dictionaries in its path",
    arguments: dictionaries)
  func set(before: String, path: PropertyListPath, value: JSONValue, after: String) throws {
    #expect(
      try edited(before) { text throws(PropertyListError) in try text.set(value, at: path, comment: "new") } == after)
  }

  static let removals: [(String, String)] = [
    (
      "<dict>\n  <key>a</key> <!-- x -->\n  <true/> <!-- y -->\n</dict>",
      "<dict>\n  <!-- x --> <!-- y -->\n</dict>"
    ),
    ("<dict><key>a</key><true/><key>b</key><true/></dict>", "<dict><key>b</key><true/></dict>"),
    (
      "<dict>\r\n\t<key>b</key> <true/>\r\n\t<key>a</key>\r\n\t<true/>\r\n</dict>",
      "<dict>\r\n\t<key>b</key> <true/>\r\n</dict>"
    ),
  ]

  @Test("Removing an entry of a property list removes its line and keeps comments", arguments: removals)
  func remove(before: String, after: String) throws {
    #expect(try edited(before) { text throws(PropertyListError) in try text.remove(["a"]) } == after)
  }

  @Test("The raw text between tags of a property list is read and written unchanged")
  func rawText() throws {
    let text = try PropertyListText(
      Array("<plist><dict><key>a</key><string>&gt;<![CDATA[<]]></string></dict></plist>".utf8))
    #expect(text.rawText(at: ["a"]) == "&gt;<![CDATA[<]]>")
    #expect(text.rawText(at: []) == nil)
    #expect(text.rawText(at: ["b"]) == nil)
    let after = try edited("<dict><key>a</key><string/></dict>") { text throws(PropertyListError) in
      try text.setRawText("&quot;", at: ["a"], comment: "new")
    }
    #expect(after == "<dict><!-- new --><key>a</key><string>&quot;</string></dict>")
  }
}
