import JSON

/// The OpenRPC document of the protocol that sources speak: schema/source.openrpc.json.
package enum SourceDocument {
  package static func document(serverVersion: String) -> JSONObject {
    var components = SchemaComponents()
    let toSource = ToSource.all.map { item($0, &components) }
    let toBridge = ToBridge.all.map { item($0, &components) }
    return [
      "openrpc": "1.4.0",
      "info": ["title": "mambridge source", "version": .string(serverVersion), "description": .string(about)],
      "methods": .array(toSource.map(JSONValue.object)),
      "x-requests-of-the-source": .array(toBridge.map(JSONValue.object)),
      "components": [
        "schemas": .object(JSONObject(order.map { ($0.schemaName, components.schemas[$0.schemaName] ?? .null) }))
      ],
      "x-errors": .object(JSONObject(SourceErrorCode.allCases.map { ("\($0.rawValue)", .string($0.text)) })),
    ]
  }

  private static let about = """
    The requests that mambridge sends to a policy source: a program that --tenant names with exec:COMMAND. The program \
    reads them from its standard input and writes the answers to its standard output, one message per line, or with the \
    headers of LSP. Lines on its standard error go into the diagnostics log. A request that nobody waits for any longer \
    is cancelled with $/cancelRequest. x-requests-of-the-source lists what a source may send by itself. docs/sources.md \
    is the guide.
    """

  /// The records in the order in which a reader needs them.
  private static let order: [any SourceRecord.Type] = [
    SourceIntroduction.self, AcquiredToken.self, SourceAuthentication.self, SourceRegistration.self,
    SourceAccount.self, CheckInApp.self, CheckInDevice.self, PolicyVersion.self, SourceAnswer.self, AnsweredUser.self,
    OrderedOperation.self, AnsweredHold.self,
  ]

  private static func item(_ type: any SourceMessage.Type, _ components: inout SchemaComponents) -> JSONObject {
    var item = message(type, &components)
    if let method = type as? any SourceMethod.Type {
      item["result"] = ["name": "result", "schema": result(of: method, &components)]
    }
    return item
  }

  private static func result<Method: SourceMethod>(
    of method: Method.Type, _ components: inout SchemaComponents
  ) -> JSONValue {
    Method.Result.schema(in: &components)
  }

  private static func message<Message: SourceMessage>(
    _ message: Message.Type, _ components: inout SchemaComponents
  ) -> JSONObject {
    let params = Message.Params.fields.describe(in: &components)
    return [
      "name": .string(Message.name), "summary": .string(Message.summary), "paramStructure": "by-name",
      "params": .array(
        params.map { ["name": .string($0.name), "required": .bool($0.isRequired), "schema": $0.briefSchema] }),
    ]
  }
}
