import JSONRPC
import Testing

@testable import JSON

/// Reads values with their long strings kept apart, and whole, and compares.
private struct Comparison {
  /// How many strings were lifted at the real threshold.
  var lifted = 0
  /// How many values could be read at all.
  var values = 0

  /// All values of a message that the scanner accepts.
  mutating func check(message: [UInt8]) {
    message.withUnsafeBufferPointer { bytes in
      switch ScannedMessage.scan(bytes) {
      case .single(let envelope):
        check(bytes)
        check(envelope, in: bytes)
      case .batch(let envelopes):
        check(bytes)
        envelopes.forEach { check($0, in: bytes) }
      case .failure: break
      }
    }
  }

  private mutating func check(_ envelope: Envelope, in message: UnsafeBufferPointer<UInt8>) {
    switch envelope {
    case .request(let call, _), .notification(let call):
      call.params.map { check(message.part($0)) }
    case .response(let response):
      [response.result, response.error].forEach { $0.map { check(message.part($0)) } }
    case .invalid: break
    }
  }

  private mutating func check(_ text: UnsafeBufferPointer<UInt8>) {
    let text = UnsafeRawBufferPointer(text)
    let plain = Result { () throws(JSONParseError) in try JSONDocument(parsing: text) }
    let asSent = Result { () throws(JSONParseError) in try JSONNode(scanned: text) }
    if asSent.map(\.value.jsonText) != plain.map(\.root.value.jsonText) {
      Issue.record("as sent: \(String(decoding: text, as: UTF8.self))")
    }
    for threshold in [1, 2, 5, 16, LongStrings.threshold] {
      let scanned = Result { () throws(JSONParseError) in try JSONDocument(scanned: text, threshold: threshold) }
      let isSame = scanned.map(\.root.value.jsonText) == plain.map(\.root.value.jsonText)
      if !isSame { Issue.record("threshold \(threshold): \(String(decoding: text, as: UTF8.self))") }
      guard threshold == LongStrings.threshold, case .success(let document) = scanned else { continue }
      values += 1
      lifted += document.lifted?.count ?? 0
    }
  }
}

/// JSON texts with strings of lengths around the threshold.
private struct RandomText {
  var generator: SeededGenerator
  private static let parts = ["é", "€", "😀", "\u{7F}", "[{,:}]", "/", " ", "A", "0"]
  private static let escapes = [#"\/"#, #"\\"#, #"\""#, #"\n"#, #"\u00e9"#, #"\ud83d\ude00"#, #"\u0000"#]
  private static let spaces = ["", "", "", " ", "\n", "\t\r"]

  mutating func value(depth: Int = 0) -> String {
    switch Int.random(in: (depth == 0 ? 5 : 0)..<(depth < 4 ? 8 : 5), using: &generator) {
    case 0: return pick(["1", "-2.5e3", "true", "null", "[]", "{}", "9223372036854775807"])
    case 1: return "\"\(pick(Self.escapes))\(pick(Self.parts))\""
    case 2, 3, 4: return "\"\(content())\""
    case 5, 6: return "{" + list { "\"\($0.name())\"\($0.space()):\($0.space())\($0.value(depth: depth + 1))" } + "}"
    default: return "[" + list { $0.value(depth: depth + 1) } + "]"
    }
  }

  /// Seldom the same name twice in an object, seldom a long one.
  private mutating func name() -> String {
    chance(40) ? content() : String(Int.random(in: 0..<400, using: &generator))
  }

  private mutating func content() -> String {
    let size = LongStrings.threshold + Int.random(in: -6...6, using: &generator)
    var text = pick(Self.parts)
    text += String(repeating: pick(["A", "+", "0"]), count: size - text.utf8.count)
    if chance(3) { text = String(text.dropLast(2)) + pick(Self.parts) }
    guard chance(4) else { return text }
    let escape = chance(20) ? #"\ud800"# : pick(Self.escapes)
    return chance(2) ? escape + text : text + escape
  }

  private mutating func list(_ element: (inout RandomText) -> String) -> String {
    let elements = (0..<Int.random(in: 0...4, using: &generator)).map { _ in space() + element(&self) + space() }
    return elements.joined(separator: ",")
  }

  private mutating func space() -> String { pick(Self.spaces) }
  private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
  private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &generator) ?? "" }
}

@Suite("Parsing JSON with long strings lifted out gives the same values as plain parsing", .timeLimit(.minutes(5)))
struct LongParamsTests {
  private static func request(_ params: String) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"m","params":[\#(params)]}"#
  }

  @Test("Lifting long strings out before parsing changes the value of no valid JSON text")
  func grammar() {
    var comparison = Comparison()
    let long = "\"" + String(repeating: "é", count: LongStrings.threshold) + "\""
    for text in acceptedTexts {
      for params in [text, "\(text),\(long)", "\(long),\(text)"] {
        comparison.check(message: Array(Self.request(params).utf8))
      }
    }
    #expect(comparison.lifted > acceptedTexts.count * 3)
  }

  @Test("Lifting long strings changes no message of the transcripts", arguments: Transcript.all.filter { !$0.isRaw })
  func transcripts(_ transcript: Transcript) {
    var comparison = Comparison()
    transcript.sent.forEach { comparison.check(message: $0) }
    transcript.received.forEach { comparison.check(message: Array($0.utf8)) }
    #expect(comparison.values > 0)
  }

  @Test("Lifting long strings out before parsing changes the values of no random document", arguments: 1...8)
  func random(_ seed: UInt64) {
    var comparison = Comparison()
    var text = RandomText(generator: SeededGenerator(seed: seed))
    for _ in 0..<200 { comparison.check(message: Array(Self.request(text.value()).utf8)) }
    #expect(comparison.lifted > 100)
    #expect(comparison.values > 100)
  }

  @Test("Lifting long strings out before parsing changes no result for randomly changed documents", arguments: 1...8)
  func mutations(_ seed: UInt64) {
    var comparison = Comparison()
    var text = RandomText(generator: SeededGenerator(seed: seed))
    for _ in 0..<60 {
      let message = Array(Self.request(text.value()).utf8)
      for _ in 0..<10 { comparison.check(message: MutationTests.mutated(message, using: &text.generator)) }
    }
    #expect(comparison.values > 100)
  }

  /// A long string beside what no value can hold, and the place of that.
  static let errors: [(String, String)] = [
    (#"{"data":"LONG","n":1e400}"#, "/n"), (#"{"n":[1,1e400],"data":"LONG"}"#, "/n/1"),
    (#"{"é":["LONG",{"s":"\ud800"}]}"#, "/é/1/s"), (#"{"data":"LONG","a":{"b":1,"b":"LONG"}}"#, "/a/b"),
  ]

  @Test("An error beside a lifted long string has the path of the wrong value", arguments: errors)
  func places(_ params: String, _ path: String) throws {
    let long = String(repeating: "x", count: 3000)
    let params = params.split(separator: "LONG", omittingEmptySubsequences: false).joined(separator: long)
    let message = Array(#"{"jsonrpc":"2.0","id":1,"method":"m","params":\#(params)}"#.utf8)
    let error = try #require(throws: RPCError.self) {
      try message.withUnsafeBufferPointer { bytes in
        guard case .single(.request(let call, id: _)) = ScannedMessage.scan(bytes) else { return }
        _ = try call.parsedParams(in: bytes)
      }
    }
    #expect(error.details["path"] == .string(path))
  }
}
