import JSON
import JSONRPC
import Model

extension [ErrorCode] {
  /// The errors that any request can end with, whatever its method.
  static let transport: [ErrorCode] = [
    .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .outOfMemory, .notAuthenticated,
    .shuttingDown, .deadlineExceeded, .limitExceeded, .cancelled,
  ]
  /// The errors of any method that uses the state folder.
  static let store: [ErrorCode] = [
    .storeUnavailable, .damaged, .diskFull, .newerSchema, .wrongPermissions, .stateInUse,
  ]
  /// The errors of opening the key store.
  static let keys: [ErrorCode] = [.wrongSecret, .noSecret]
  /// The errors of reading one of the host's files.
  static let reading: [ErrorCode] = [.fileUnavailable, .fileDamaged]
  /// The errors of replacing a file's content.
  static let replacement: [ErrorCode] =
    reading + [.fileInUse, .fileTruncated, .noFileKey, .unsuitableFile, .attributeNotKept]
  /// The errors of encrypting and decrypting at SDK level 21.
  static let fileProtection = FileProtectionStatusCode.allCases.map { ErrorCode($0) }
  /// The errors of any method of an open file.
  static let fileHandles: [ErrorCode] = reading + [.fileInUse, .fileTruncated, .noFileKey, .noFileHandle]
  /// The errors of checking a server's certificates.
  static let pinning: [ErrorCode] = [
    .invalidCertificateChain, .nilHost, .failedTrustEvaluation, .failedFormationEvaluation, .errorAccessingCert,
    .algNotSupported, .matchNotFound,
  ]
}

extension Method {
  /// Answers like `call`. In a debug build, an error that the method does not declare becomes -32603 with
  /// `data.undeclared`, so every test of a method checks the errors that it lists.
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
    let unknown = error.details.members.first { !ErrorData.fields.names.contains($0.name) }
    assert(unknown == nil, "ErrorData does not describe \(unknown?.name ?? "")")
    guard !(.transport + allErrors).contains(where: { $0.number == error.code }) else { return error }
    return RPCError(
      .internalError, "\(name) does not declare its error \(error.name): \(error.message)",
      details: ["undeclared": .string(error.name)])
  }
}

extension RPCError {
  /// `language` is the user's language; `nil` for an error that only the host sees.
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
    if let cause = error.cause { details["cause"] = .string(cause.name) }
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
  /// The error as a component of the document.
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
  /// The first 100 failures: those of a large folder may not fit in a reply.
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
