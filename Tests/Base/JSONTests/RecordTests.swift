import JSON
import Testing

/// A record with each kind of field.
private struct Sample: Record, Equatable {
  var name: String
  var count: Int
  var note: String?
  var owner: String?
  var items: [Item]
  var labels: [String: Bool]

  static let schemaName: String? = "Sample"
  static let fields = Fields(
    Self.init(name:count:note:owner:items:labels:),
    Field("name", \.name, "A name."),
    Field("count", \.count, default: 7, "A count."),
    Field("note", \.note, "A note."),
    Field(required: "owner", \.owner, "An owner, or null."),
    Field("items", \.items, default: [], "Items."),
    Field("labels", \.labels, default: [:], "Labels."))
}

private struct Item: Record, Equatable {
  var id: Int
  var size: Double

  static let fields = Fields(
    Self.init(id:size:), Field("id", \.id, "An id."), Field("size", \.size, default: 1, "A size."))
}

/// A record that holds the members of another between its own.
private struct Grouped: Record, Equatable {
  var owner: String
  var item: Item
  var note: String?

  static let fields = Fields(
    Self.init, Field("owner", \.owner, "An owner."), Field(group: \.item, Item.fields),
    Field("note", \.note, "A note."))
}

/// A record with members that are left out.
private struct Brief: Record, Equatable {
  var id: Int
  var note: String?
  var owner: String?

  static let fields = Fields(
    Self.init, Field("id", \.id, "An id."), Field(omitting: "note", \.note, "A note."),
    Field(omitting: "owner", orNull: true, \.owner, "An owner, or null."))
}

@Suite struct RecordTests {
  private func node(_ text: String) throws -> JSONNode { try JSONDocument(parsing: text).root }

  private static let whole = Sample(
    name: "n", count: 3, note: "x", owner: "o", items: [Item(id: 1, size: 2.5), Item(id: 2, size: 1)],
    labels: ["a/b": true])

  @Test("A record is written with all members in order and reads back unchanged")
  func roundTrip() throws {
    let text = Self.whole.jsonText
    #expect(
      text == #"{"name":"n","count":3,"note":"x","owner":"o","items":[{"id":1,"size":2.5},{"id":2,"size":1.0}],"#
        + #""labels":{"a/b":true}}"#)
    #expect(try Sample.decode(node(text)) == Self.whole)
  }

  @Test("An omitted member is written only if it has a value, and may be absent or null when read")
  func omission() throws {
    #expect(Brief(id: 1, note: nil, owner: nil).jsonText == #"{"id":1}"#)
    let whole = Brief(id: 1, note: "n", owner: "o")
    #expect(whole.jsonText == #"{"id":1,"note":"n","owner":"o"}"#)
    #expect(try Brief.decode(node(whole.jsonText)) == whole)
    for text in [#"{"id":1}"#, #"{"id":1,"note":null,"owner":null}"#] {
      #expect(try Brief.decode(node(text)) == Brief(id: 1, note: nil, owner: nil))
    }
    var components = SchemaComponents()
    let fields = Brief.fields.describe(in: &components)
    #expect(fields.map(\.isRequired) == [true, false, false])
    #expect(fields.map(\.schema) == [["type": "integer"], ["type": "string"], String?.schema(in: &components)])
  }

  @Test("A field reads its own member and ignores all others")
  func oneMember() throws {
    let id = Field("id", \Brief.id, "An id.")
    let object = try node(#"{"other":[],"id":5}"#)
    #expect(try id.decode(in: object) == 5)
    let error = #expect(throws: JSONDecodingError.self) { try id.decode(in: node(#"{"id":"x"}"#)) }
    #expect(error?.path == "/id")
  }

  @Test("Members of a record may come in any order, and absent ones get their default or nil")
  func defaults() throws {
    let expected = Sample(name: "n", count: 7, note: nil, owner: nil, items: [], labels: [:])
    #expect(try Sample.decode(node(#"{"owner":null,"name":"n"}"#)) == expected)
    #expect(try Sample.decode(node(#"{"owner":null,"note":null,"name":"n"}"#)) == expected)
  }

  static let errorCases: [(String, String, JSONDecodingError.Reason)] = [
    ("[]", "", .wrongType(expected: "an object", found: "an array")),
    ("null", "", .wrongType(expected: "an object", found: "null")),
    (#"{"owner":null}"#, "/name", .missing),
    (#"{"name":"n"}"#, "/owner", .missing),
    (#"{"name":null,"owner":null}"#, "/name", .wrongType(expected: "a string", found: "null")),
    (#"{"name":"n","owner":null,"Name":"n"}"#, "/Name", .unknown),
    (#"{"name":"n","owner":null,"a/b~c":"n"}"#, "/a~1b~0c", .unknown),
    (#"{"name":"n","owner":null,"":1}"#, "/", .unknown),
    (#"{"name":"n","owner":5}"#, "/owner", .wrongType(expected: "a string", found: "an integer")),
    (#"{"name":"n","owner":null,"count":"5"}"#, "/count", .wrongType(expected: "an integer", found: "a string")),
    (#"{"name":"n","owner":null,"count":null}"#, "/count", .wrongType(expected: "an integer", found: "null")),
    (#"{"name":"n","owner":null,"count":1.5}"#, "/count", .invalid("must be an integer within 2^53")),
    (#"{"name":"n","owner":null,"items":{}}"#, "/items", .wrongType(expected: "an array", found: "an object")),
    (#"{"name":"n","owner":null,"items":[{"id":1},{}]}"#, "/items/1/id", .missing),
    (
      #"{"name":"n","owner":null,"items":[{"id":true}]}"#, "/items/0/id",
      .wrongType(expected: "an integer", found: "a boolean")
    ),
    (#"{"name":"n","owner":null,"items":[{"id":1,"x":1}]}"#, "/items/0/x", .unknown),
    (
      #"{"name":"n","owner":null,"labels":{"a/b":1.5}}"#, "/labels/a~1b",
      .wrongType(expected: "true or false", found: "a number")
    ),
  ]

  @Test("An error in a record has the path and the reason", arguments: errorCases)
  func errors(text: String, path: String, reason: JSONDecodingError.Reason) throws {
    let node = try node(text)
    let error = try #require(throws: JSONDecodingError.self) { try Sample.decode(node) }
    #expect(error.path == path)
    #expect(error.reason == reason)
    #expect(error.message.hasPrefix(path.isEmpty ? "the value" : path))
  }

  @Test(
    "A missing and an unknown member of one object are reported together at the missing one",
    arguments: [
      (#"{"owner":null,"nmae":"n"}"#, "/name", "/name is missing, and /nmae is not known"),
      (#"{"z":1,"a/b":2,"owner":null}"#, "/name", "/name is missing, and /z is not known"),
      (
        #"{"name":"n","owner":null,"items":[{"id":1},{"Id":1}]}"#, "/items/1/id",
        "/items/1/id is missing, and /items/1/Id is not known"
      ),
      // The missing member is in another object than the unknown one.
      (#"{"name":"n","owner":null,"items":[{}],"x":1}"#, "/items/0/id", "/items/0/id is missing"),
    ])
  func missingAndUnknown(text: String, path: String, message: String) throws {
    let node = try node(text)
    let error = try #require(throws: JSONDecodingError.self) { try Sample.decode(node) }
    #expect(error.path == path)
    #expect(error.message == message)
    let hasUnknown = message.hasSuffix("is not known")
    #expect(error.discreetMessage == "\(path) is missing" + (hasUnknown ? ", and it has an undeclared member" : ""))
  }

  @Test("A reserved member is not reported as unknown beside a missing one")
  func missingBesideReserved() throws {
    let node = try node(#"{"_meta":{},"Id":1}"#)
    let error = try #require(throws: JSONDecodingError.self) { try Item.decode(params: node, ignoring: "_meta") }
    #expect(error.message == "/id is missing, and /Id is not known")
  }

  @Test("A record can be read from an array by position, with defaults for absent elements at the end")
  func positions() throws {
    #expect(try Item.fields.decode(elements: node("[1,2]")) == Item(id: 1, size: 2))
    #expect(try Item.fields.decode(elements: node("[1]")) == Item(id: 1, size: 1))
    #expect(throws: JSONDecodingError(.missing).inside("id")) { try Item.fields.decode(elements: node("[]")) }
    #expect(throws: JSONDecodingError(.unknown).inside("2")) { try Item.fields.decode(elements: node("[1,2,3]")) }
    #expect(throws: JSONDecodingError.self) { try Item.fields.decode(elements: node("{}")) }
  }

  @Test("Members of a group are in the same object, in their place among the others")
  func group() throws {
    let whole = Grouped(owner: "o", item: Item(id: 1, size: 2.5), note: "n")
    #expect(whole.jsonText == #"{"owner":"o","id":1,"size":2.5,"note":"n"}"#)
    #expect(try Grouped.decode(node(#"{"note":"n","size":2.5,"owner":"o","id":1}"#)) == whole)
    #expect(try Grouped.decode(params: node(#"["o",1,2.5,"n"]"#)) == whole)
    #expect(try Grouped.decode(params: node(#"["o",1]"#)) == Grouped(owner: "o", item: Item(id: 1, size: 1), note: nil))
    var components = SchemaComponents()
    #expect(Grouped.fields.describe(in: &components).map(\.name) == ["owner", "id", "size", "note"])
  }

  @Test(
    "An error in a group of members has its path in the whole object",
    arguments: [
      (#"{"owner":"o"}"#, "id", .missing), (#"{"owner":"o","id":1,"item":{}}"#, "item", .unknown),
      (#"["o"]"#, "id", .missing), (#"["o",1,1,null,5]"#, "4", .unknown),
    ] as [(String, String, JSONDecodingError.Reason)])
  func groupErrors(text: String, place: String, reason: JSONDecodingError.Reason) throws {
    let params = try node(text)
    #expect(throws: JSONDecodingError(reason).inside(place)) { try Grouped.decode(params: params) }
  }

  @Test("A record can be read from nothing only if every member may be absent")
  func nothing() throws {
    _ = try NoParameters.fields.decodeNothing()
    #expect(throws: JSONDecodingError(.missing).inside("id")) { try Item.fields.decodeNothing() }
    _ = try NoParameters.decode(node("{}"))
    #expect(throws: JSONDecodingError(.unknown).inside("a")) { try NoParameters.decode(node(#"{"a":1}"#)) }
  }

  @Test("A reserved member is ignored, and unknown members beside it are still errors")
  func reserved() throws {
    #expect(try Item.fields.decode(members: node(#"{"id":1,"_meta":{}}"#), ignoring: "_meta").id == 1)
    #expect(throws: JSONDecodingError(.unknown).inside("x")) {
      try Item.fields.decode(members: node(#"{"_meta":{},"id":1,"x":1}"#), ignoring: "_meta")
    }
    #expect(throws: JSONDecodingError(.unknown).inside("_meta")) { try Item.decode(node(#"{"id":1,"_meta":{}}"#)) }
  }

  @Test("A record's schema has required members, defaults, descriptions and references to named types")
  func schema() {
    var components = SchemaComponents()
    #expect(Sample.schema(in: &components) == ["$ref": "#/components/schemas/Sample"])
    let schema = components.schemas["Sample"] ?? .null
    #expect(schema["required"] == ["name", "owner"])
    #expect(schema["additionalProperties"] == false)
    let properties = schema["properties"]
    #expect(properties?.objectValue?.names == ["name", "count", "note", "owner", "items", "labels"])
    #expect(properties?["count"] == ["type": "integer", "description": "A count.", "default": 7])
    #expect(
      properties?["note"] == ["anyOf": [["type": "string"], ["type": "null"]], "description": "A note."])
    #expect(properties?["items"]?["items"] == ["$ref": "#/components/schemas/Item"])
    #expect(components.schemas["Item"]?["required"] == ["id"])
    #expect(properties?["labels"]?["additionalProperties"] == ["type": "boolean"])
  }

  @Test("The former name of a member is read, except beside the new name, and never written")
  func formerName() throws {
    for text in [#"{"source":1}"#, #"{"from":1}"#, "[1]"] {
      let renamed = try Renamed.decode(params: node(text))
      #expect(renamed.source == 1, "\(text)")
      #expect(renamed.jsonText == #"{"source":1}"#, "\(text)")
    }
    #expect(throws: JSONDecodingError(.unknown).inside("from")) {
      try Renamed.decode(node(#"{"source":1,"from":1}"#))
    }
    #expect(throws: JSONDecodingError(.missing).inside("source")) { try Renamed.decode(node("{}")) }
    var components = SchemaComponents()
    #expect(Renamed.fields.describe(in: &components).map(\.formerName) == ["from"])
  }
}

private struct Renamed: Record {
  var source: Int64
  static let fields = Fields(Self.init, Field("source", formerly: "from", \.source, "A member with a former name."))
}
