import JSON
import JSONRPC
import Model
import Support

/// The members of `data` in an error. Absent members are left out.
struct ErrorData: Record {
  var name: String
  var retryable: Bool
  var hint: String?
  var path: String?
  var limit: String?
  var value: Int?
  var offset: Int?
  var committed: Bool?
  var domain: String?
  var sdkCode: Int?
  var cause: String?
  var errno: Int?
  var page: Int?
  var range: [Int]?
  var failures: [JSONObject]?
  var messageKey: String?
  var userMessage: String?
  var challenge: Challenge?
  var undeclared: String?
  static let fields = Fields(
    Self.init,
    Field(required: "name", \.name, "The stable name of the error."),
    Field(
      required: "retryable", \.retryable, "Whether the same request may succeed later, without a change by the host."),
    Field("hint", \.hint, "What to do about the error."),
    Field("path", \.path, "The parameter that is wrong, as a JSON pointer, or the file or folder that failed."),
    Field("limit", \.limit, "The limit that was exceeded, by its name in x-limits."),
    Field("value", \.value, "The value of the limit."),
    Field("offset", \.offset, "The first byte of the message that is not valid."),
    Field("committed", \.committed, "Whether the request goes on after its deadline."),
    Field("domain", \.domain, "The domain of the SDK's NSError, if the SDK has this error."),
    Field("sdkCode", \.sdkCode, "The code of the SDK's NSError."),
    Field("cause", \.cause, "The name of the error that an error of file protection stands for."),
    Field("errno", \.errno, "The error number of the system."),
    Field("page", \.page, "The number of the damaged page of a protected file."),
    Field("range", \.range, "The first damaged byte, and the byte after the last."),
    Field("failures", \.failures, "The path, code, name and message of the first 100 files of a folder that failed."),
    Field("messageKey", \.messageKey, "The name of the message to the user."),
    Field("userMessage", \.userMessage, "What to tell the user, in the language of the connection."),
    Field("challenge", \.challenge, "What the host must ask the user."),
    Field("undeclared", \.undeclared, "Only in debug builds: an error that the method does not declare."))
}

/// What belongs to all requests and errors: `_meta` of the params, `data` of an error, and the notifications of a session.
enum SessionDescription {
  static func json(in components: inout DocumentComponents) -> JSONValue {
    let meta = components.schemas.input { RequestMeta.fields.describe(in: &$0) }
    let data = ErrorData.fields.describe(in: &components.schemas)
    return [
      "meta": .array(meta.map(\.contentDescriptor)),
      "errorData": .array(data.map(\.contentDescriptor)),
      "notifications": [
        notification(
          "$/cancelRequest", "Cancels a request of the sender, which is still answered.",
          ["id": ["type": ["string", "integer"], "description": "The id of the request."]]),
        notification(
          "$/progress", "Says how far a request is whose _meta has a progressToken.",
          [
            "token": ["type": ["string", "integer"], "description": "The progressToken of the request."],
            "value": [
              "type": "object",
              "properties": [
                "kind": ["type": "string", "enum": .array(ProgressReport.Kind.allCases.map { .string($0.rawValue) })],
                "percentage": ["type": "integer", "minimum": 0, "maximum": 100],
                "message": ["type": "string"],
              ],
              "required": ["kind"],
            ],
          ]),
      ],
    ]
  }

  private static func notification(_ name: String, _ summary: String, _ params: JSONObject) -> JSONValue {
    [
      "name": .string(name), "summary": .string(summary), "paramStructure": "by-name",
      "params": .array(params.members.map { ["name": .string($0.name), "required": true, "schema": $0.value] }),
    ]
  }
}
