import JSON
import JSONRPC
import Model

extension [ErrorCode] {
  /// What any request can end with, whatever its method.
  static let transport: [ErrorCode] = [
    .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .notAuthenticated, .shuttingDown,
    .deadlineExceeded, .limitExceeded, .cancelled,
  ]
  /// What any method that uses the state folder can end with.
  static let store: [ErrorCode] = [
    .storeUnavailable, .damaged, .diskFull, .newerSchema, .wrongPermissions, .stateInUse,
  ]
  /// What opening the key store can end with.
  static let keys: [ErrorCode] = [.wrongSecret, .noSecret]
  /// What reading a file of the host's can end with.
  static let reading: [ErrorCode] = [.fileUnavailable, .fileDamaged]
  /// What giving a file other content can end with.
  static let replacement: [ErrorCode] =
    reading + [.fileInUse, .fileTruncated, .noFileKey, .unsuitableFile, .attributeNotKept]
  /// What any method of an open file can end with.
  static let fileHandles: [ErrorCode] = reading + [.fileInUse, .fileTruncated, .noFileKey, .noFileHandle]
  /// What checking the certificates of a server can end with.
  static let pinning: [ErrorCode] = [
    .invalidCertificateChain, .nilHost, .failedTrustEvaluation, .failedFormationEvaluation, .errorAccessingCert,
    .algNotSupported, .matchNotFound,
  ]
}

extension Method {
  /// `call`. In debug builds an error that the method does not declare becomes -32603 with `data.undeclared`, so that
  /// every test of a method proves its list.
  static func checkedCall(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    #if DEBUG
      do throws(RPCError) {
        guard let work = try call(node, on: connection, into: &writer) else { return nil }
        return Work(queue: work.queue, isWaiting: work.isWaiting, takeBack: work.takeBack) {
          () async throws(RPCError) in
          do throws(RPCError) { return try await work.run() } catch { throw checked(error) }
        }
      } catch {
        throw checked(error)
      }
    #else
      return try call(node, on: connection, into: &writer)
    #endif
  }

  private static func checked(_ error: RPCError) -> RPCError {
    guard !(.transport + allErrors).contains(where: { $0.number == error.code }) else { return error }
    return RPCError(
      .internalError, "\(name) does not declare its error \(error.name): \(error.message)",
      details: ["undeclared": .string(error.name)])
  }
}

extension RPCError {
  /// `language` is that of the user; nil for an error that nobody but the host is told of.
  init(_ error: MAMError, in language: Language? = nil) {
    var details = JSONObject()
    if let path = error.path { details["path"] = .string(path) }
    if let hint = error.hint { details["hint"] = .string(hint) }
    if let fault = error.fault {
      if let number = fault.number { details["errno"] = .integer(Int64(number)) }
      if let page = fault.page { details["page"] = .integer(Int64(clamping: page)) }
      if let range = fault.range {
        details["range"] = [.integer(Int64(clamping: range.lowerBound)), .integer(Int64(clamping: range.upperBound))]
      }
    }
    if let key = error.messageKey { details["messageKey"] = .string(key) }
    if let text = language.flatMap(error.userMessage) { details["userMessage"] = .string(text) }
    if let challenge = error.challenge { details["challenge"] = challenge.jsonValue }
    if !error.failures.isEmpty { details["failures"] = error.failures.listed }
    details.add(error.code.sdkError)
    self.init(
      code: error.code.number, name: error.code.name, message: error.message, isRetryable: error.isRetryable,
      details: details)
  }
}

extension ErrorCode {
  /// The error in full, wherever the schema lists it: common validators do not follow references to errors.
  var json: JSONValue {
    var data: JSONObject = ["name": .string(name)]
    data.add(sdkError)
    return ["code": .integer(Int64(number)), "message": .string(meaning), "data": .object(data)]
  }
}

extension JSONObject {
  fileprivate mutating func add(_ sdkError: (domain: String, code: Int)?) {
    guard let sdkError else { return }
    self["domain"] = .string(sdkError.domain)
    self["sdkCode"] = .integer(Int64(sdkError.code))
  }
}

extension [FileFailure] {
  /// The first hundred: a folder may hold more than a reply.
  fileprivate var listed: JSONValue {
    .array(
      prefix(100).map { failure in
        [
          "path": .string(failure.path), "code": .integer(Int64(failure.code.number)),
          "name": .string(failure.code.name), "message": .string(failure.message),
        ]
      })
  }
}
