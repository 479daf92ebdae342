import JSON
import Support

extension Timestamp: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> Timestamp {
    guard let text = node.string else { throw .wrongType(expected: "a string", node) }
    guard let time = Timestamp(text) else {
      throw JSONDecodingError(.invalid("must be a time such as 2026-01-31T09:30:00Z (RFC 3339)"))
    }
    return time
  }

  package func encode(to writer: inout JSONWriter) { writer.plainString(description.utf8) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "format": "date-time"]
  }
}

extension ISODuration: FieldValue {
  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> ISODuration {
    guard let text = node.string else { throw .wrongType(expected: "a duration such as P90D or PT30M", node) }
    guard let duration = ISODuration(text) else {
      throw JSONDecodingError(.invalid("must be an ISO 8601 duration from weeks to seconds, such as P90D or PT30M"))
    }
    return duration
  }

  package func encode(to writer: inout JSONWriter) { writer.string(description) }

  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "format": "duration"]
  }
}
