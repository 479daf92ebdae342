import JSON
import JSONRPC
import MAM
import Model

/// An error as the schema lists it.
package struct APIError: Hashable, Sendable {
  let code: Int
  /// The stable symbol in `data.name`.
  let name: String
  let summary: String

  init(_ code: Int, _ name: String, _ summary: String) {
    self.code = code
    self.name = name
    self.summary = summary
  }
}

extension APIError {
  static let invalidParams = APIError(
    .invalidParams, "A parameter is unknown, missing or of the wrong type; data.path says which.")
  static let notAuthenticated = APIError(.notAuthenticated, "The connection must authenticate first.")

  static let invalidRequest = APIError(
    .invalidRequest, "The message is JSON, but no request, or one that may not come here.")

  static let applicationNotManaged = APIError(
    1100, "applicationNotManaged", "No account is managed, so there is nothing to protect with.")
  static let invalidArguments = APIError(1101, "invalidArguments", "The data or the account is null.")
  static let failedToEncryptData = APIError(1102, "failedToEncryptData", "Encryption failed.")
  static let failedToDecryptData = APIError(
    1103, "failedToDecryptData", "The data was changed or cut, or this app has no key of its account.")
  static let dataNotProtected = APIError(
    1104, "dataNotProtected", "The file is neither encrypted nor owned, so there is nothing to decrypt.")
  static let emptyData = APIError(1105, "emptyData", "The data or the string is empty.")

  static let invalidChallenge = APIError(2100, "invalidChallenge", "The challenge is null.")
  static let invalidCertificateChain = APIError(
    2101, "invalidCertificateChain", "The certificates are null or none.")
  static let nilHost = APIError(
    2102, "nilHost", "The host is null, empty, or neither a name nor an address.")
  static let failedTrustEvaluation = APIError(
    2103, "failedTrustEvaluation",
    "The chain leads to no trusted authority, or time, host name, purpose or strength are wrong.")
  static let failedFormationEvaluation = APIError(
    2104, "failedFormationEvaluation", "A signature of the chain is wrong, or its order.")
  static let errorAccessingCert = APIError(
    2105, "errorAccessingCert", "A certificate is not X.509 in DER.")
  static let algNotSupported = APIError(
    2106, "algNotSupported", "A certificate has a key or a signature of an unknown algorithm.")
  static let matchNotFound = APIError(2107, "matchNotFound", "No key of the chain is pinned for the host.")

  static let policyRequired = APIError(
    4001, "policyRequired", "MAMPolicyRequired is set and no policy is there yet: enroll first.")
  static let tooManyIdentities = APIError(
    4002, "tooManyIdentities", "Too many threads, windows or web views have been named, or one by more than 4 KiB.")

  static let fileUnavailable = APIError(
    5001, "fileUnavailable", "The system refuses what was to be done with the file; data.errno says why.")
  static let fileDamaged = APIError(
    5002, "fileDamaged",
    "An encrypted file was changed; data.page and data.range say which part of the plain text is lost.")
  static let fileInUse = APIError(5003, "fileInUse", "Others are using the file.")
  static let fileTruncated = APIError(
    5004, "fileTruncated", "An encrypted file was cut off; data.range says which part of the plain text is lost.")
  static let noFileKey = APIError(
    5005, "noFileKey", "This app has no key for the encrypted file, or is not managed for its owner.")
  static let noFileHandle = APIError(
    5006, "noFileHandle", "The connection has no such handle, or has closed it.")
  static let unsuitableFile = APIError(
    5007, "unsuitableFile",
    "A folder where a file is wanted, a link, a file with several names, a pipe, socket or device, or mambridge's own.")
  static let attributeNotKept = APIError(
    5008, "attributeNotKept", "The file would lose its owner, mode, times or another attribute; it is left alone.")
  static let partlyDone = APIError(
    5009, "partlyDone",
    "Of a folder some files failed, or it was stopped; data.failures has path, code, name and message of 100 at most.")

  static let manualClockNeeded = APIError(
    9001, "manualClockNeeded", "The clock is the system's: start the server with --clock manual.")

  static let debugSettingsNeeded = APIError(
    9002, "debugSettingsNeeded", "Test policies need the setting DebugSettingsEnabled.")

  static let storeUnavailable = APIError(
    6001, "storeUnavailable", "The state folder cannot be read or written; data.path names it.")
  static let wrongSecret = APIError(6002, "wrongSecret", "The root secret does not open the key store.")
  static let noSecret = APIError(6003, "noSecret", "The root secret is missing, or cannot be had.")
  static let damaged = APIError(6004, "damaged", "A file of the state folder is damaged; data.path names it.")
  static let diskFull = APIError(6005, "diskFull", "The disk is full; nothing was changed.")
  static let newerSchema = APIError(
    6006, "newerSchema", "The state was written by a newer version; nothing was changed.")
  static let wrongPermissions = APIError(
    6007, "wrongPermissions",
    "Other users can read a key file or change the state; data.hint has the command that fixes it.")

  static let stateInUse = APIError(
    6008, "stateInUse", "Another process holds the lock on the keys, on check-ins or on a wipe. Call again.")

  static let interactionRequired = APIError(
    7001, "interactionRequired", "A token is needed, and can only be had by asking the user.")
  static let tokenRefused = APIError(
    7003, "tokenRefused", "The token does not prove that the user has signed in.")
  static let canceled = APIError(7002, "canceled", "The user has canceled.")

  static let challenge = APIError(
    8001, "challenge", "The host must ask the user: data.challenge says what; answer it and repeat the call.")
  static let challengeNotOpen = APIError(
    8002, "challengeNotOpen", "No challenge of this id is open: it is unknown, answered or expired.")
  static let wrongAnswer = APIError(
    8003, "wrongAnswer", "The answer is not of the kind that the challenge asks for.")

  static let pinNotRequired = APIError(
    8010, "pinNotRequired", "No policy requires a PIN of the account, or the device's own replaces it.")
  static let pinNotSet = APIError(8011, "pinNotSet", "The user has no PIN yet: pin.set.")
  static let pinAlreadySet = APIError(
    8012, "pinAlreadySet", "The user has a PIN: pin.change, or pin.reset when it is forgotten.")
  static let wrongPIN = APIError(
    8013, "wrongPIN", "That is not the user's PIN; data.hint says how many tries are left.")
  static let pinNotAllowed = APIError(
    8014, "pinNotAllowed",
    "The policy does not allow this as a new PIN; data.messageKey names the rule, data.userMessage tells the user.")
  static let pinRetriesExceeded = APIError(
    8015, "pinRetriesExceeded",
    "There were too many wrong PINs: the user must sign in, pin.reset, or the account's data was wiped.")
}

extension APIError {
  /// What any request can end with, whatever its method.
  static let transport = RPCErrorCode.allCases.map { APIError($0, summary(of: $0)) }

  private init(_ code: RPCErrorCode, _ summary: String) {
    self.init(code.rawValue, code.name, summary)
  }

  private static func summary(of code: RPCErrorCode) -> String {
    switch code {
    case .parseError: "The message is not JSON in UTF-8, or its frame is damaged."
    case .invalidRequest: invalidRequest.summary
    case .methodNotFound: "There is no method of this name; data.hint says which there is."
    case .invalidParams: invalidParams.summary
    case .internalError:
      "A fault of the server; the diagnostics log says more. Named outOfMemory if the system is out of memory."
    case .notAuthenticated: notAuthenticated.summary
    case .shuttingDown: "The server ends and does not begin anything new."
    case .deadlineExceeded: "The request was not done in the time it was given."
    case .limitExceeded: "A limit was passed; data.limit names it, data.value is what it allows."
    case .cancelled: "The request was cancelled; nothing happened."
    }
  }
}

extension [APIError] {
  /// What any method that reads the state folder can end with.
  static let store: [APIError] = [
    .storeUnavailable, .damaged, .diskFull, .newerSchema, .wrongPermissions, .stateInUse,
  ]
  /// What any method that asks a policy can end with.
  static let policy: [APIError] = [.policyRequired] + store
  /// What reading a file of the host's can end with.
  static let reading: [APIError] = [.fileUnavailable, .fileDamaged]
  /// What giving a file other content can end with.
  static let replacement: [APIError] =
    reading + [.fileInUse, .fileTruncated, .noFileKey, .unsuitableFile, .attributeNotKept]
  /// What checking the certificates of a server can end with.
  static let pinning: [APIError] = [
    .invalidCertificateChain, .nilHost, .failedTrustEvaluation, .failedFormationEvaluation, .errorAccessingCert,
    .algNotSupported, .matchNotFound,
  ]
  static let keys: [APIError] = [.wrongSecret, .noSecret]
  /// What any method of an open file can end with.
  static let fileHandles: [APIError] = [
    .fileUnavailable, .fileDamaged, .fileInUse, .fileTruncated, .noFileKey, .noFileHandle,
  ]
}
