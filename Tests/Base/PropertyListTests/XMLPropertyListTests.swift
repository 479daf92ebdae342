import JSON
import PropertyList
import Testing

@Suite struct XMLPropertyListTests {
  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

  private func parse(_ text: String) throws -> JSONValue { try PropertyList.parse(Array((Self.head + text).utf8)) }

  @Test("An XML property list with values of every type is read, ignoring comments and declarations")
  func values() throws {
    let value = try parse(
      """
      <dict>
        <!-- <key>commented</key> -->
        <key>on</key> <true/> <key>off</key> <false></false>
        <key>real</key> <real> 2.5 </real> <key>number</key> <integer>-5</integer>
        <key>text</key> <string>a &lt;b&gt; &amp; &#65;&#x1F600;<![CDATA[<c>]]></string>
        <key>list</key> <array><string>one</string><string/><array/><dict/></array>
        <key>other</key> <array><date>2026-01-01T00:00:00Z</date><data> AA EC </data></array>
      </dict>
      </plist>
      """)
    #expect(
      value == [
        "on": true, "off": false, "real": 2.5, "number": -5, "text": "a <b> & A😀<c>", "list": ["one", "", [], [:]],
        "other": ["2026-01-01T00:00:00Z", "AAEC"],
      ])
  }

  @Test("A byte order mark before an XML property list is skipped")
  func byteOrderMark() throws {
    #expect(try PropertyList.parse(Array("\u{FEFF}<plist><true/></plist>".utf8)) == true)
  }

  typealias Place = PropertyListError.Place

  static let damaged: [(String, Place)] = [
    ("<dict>\n<key>a</key>\n</dict></plist>", Place(line: 6, column: 8)),
    ("<dict>\n\n<tru/></dict></plist>", Place(line: 6, column: 7)),
    ("<dict><key>a</key><true/>\n<key>a</key><true/></dict></plist>", Place(line: 5, column: 13)),
    ("<dict><key>a</key><integer>x</integer></dict></plist>", Place(line: 4, column: 39)),
    ("<dict><key>a</key><integer>99999999999999999999</integer></dict></plist>", Place(line: 4, column: 58)),
    ("<dict><key>é😀</key><string>&nope;</string></dict></plist>", Place(line: 4, column: 34)),
    ("<dict><key>a</key><string>x</dict></plist>", Place(line: 4, column: 35)),
    ("<dict>text</dict></plist>", Place(line: 4, column: 7)),
    ("<dict><key>a</key>", Place(line: 4, column: 19)),
    ("<dict", Place(line: 4, column: 6)),
  ]

  @Test("A damaged XML property list is refused, and the error names line and column", arguments: damaged)
  func damage(text: String, place: Place) throws {
    let error = try #require(throws: PropertyListError.self) { try parse(text) }
    #expect(error.place == place, "\(error.message)")
  }

  @Test("An XML property list nested too deeply is refused")
  func nesting() throws {
    let text = String(repeating: "<array>", count: 100_000)
    let error = try #require(throws: PropertyListError.self) { try parse(text) }
    #expect(error == PropertyListError("elements are nested too deeply", at: Place(line: 4, column: 456)))
  }
}
