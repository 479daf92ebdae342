import JSON

/// The parameter name that is reserved for the session; handlers ignore it.
package let reservedParamName = "_meta"

/// The options that any request with params by name may carry.
package struct RequestMeta: Record {
  static let name = reservedParamName

  var progressToken: ProgressToken?
  var timeoutMilliseconds: TimeoutMilliseconds?

  package static let fields = Fields(
    Self.init(progressToken:timeoutMilliseconds:),
    Field("progressToken", \.progressToken, "Sent back with each $/progress."),
    Field("timeoutMilliseconds", \.timeoutMilliseconds, "The time after which the call is answered with -32003."))

  init(progressToken: ProgressToken? = nil, timeoutMilliseconds: TimeoutMilliseconds? = nil) {
    self.progressToken = progressToken
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// `text` is the text of the params, from which the token is taken as it was written.
  init(of params: JSONNode?, _ text: UnsafeBufferPointer<UInt8>?) throws(RPCError) {
    guard let node = params?.member(Self.name) else {
      self.init()
      return
    }
    do throws(JSONDecodingError) {
      self = try Self.decode(node)
      if let text, progressToken != nil { try takeToken(from: text) }
    } catch {
      throw RPCError(error.inside(Self.name))
    }
  }

  private mutating func takeToken(from text: UnsafeBufferPointer<UInt8>) throws(JSONDecodingError) {
    guard let token = JSONMember.text(at: [Self.name, "progressToken"], in: text) else { return }
    guard token.count <= SessionLimits.progressTokenBytes else {
      let reason = "must be at most \(SessionLimits.progressTokenBytes) bytes"
      throw JSONDecodingError(.invalid(reason)).inside("progressToken")
    }
    progressToken = ProgressToken(text: Array(token))
  }
}

/// A string or an integer of up to 1 KiB, like an id.
package struct ProgressToken: FieldValue {
  let text: [UInt8]

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> ProgressToken {
    guard node.string != nil || node.integer != nil else {
      throw .wrongType(expected: "a string or an integer", node)
    }
    var writer = JSONWriter()
    node.value.encode(to: &writer)
    return ProgressToken(text: writer.bytes)
  }
  package func encode(to writer: inout JSONWriter) { writer.raw(text) }
  package static func schema(in components: inout SchemaComponents) -> JSONValue { ["type": ["string", "integer"]] }
}

/// From 1 ms to one day.
package struct TimeoutMilliseconds: FieldValue {
  static let range: ClosedRange<Int64> = 1...86_400_000
  let count: Int64

  /// Such as `3 s` or `250 ms`, as the clients write it.
  var text: String { count % 1000 == 0 ? "\(count / 1000) s" : "\(count) ms" }

  package static func decode(_ node: JSONNode) throws(JSONDecodingError) -> TimeoutMilliseconds {
    let count = try Int64.decode(node)
    guard range.contains(count) else {
      throw JSONDecodingError(.invalid("must be from \(range.lowerBound) to \(range.upperBound)"))
    }
    return TimeoutMilliseconds(count: count)
  }
  package func encode(to writer: inout JSONWriter) { writer.integer(count) }
  package static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
  }
}
