import Glibc

/// What the core could not do, why, and the way out. Equal when the codes are.
public struct MAMError: Error, Sendable {
  /// The code on the wire and its stable name.
  public enum Code: Int, Sendable {
    case cancelled = -32800
    case outOfMemory = -32603
    case manualClockNeeded = 9001
    case debugSettingsNeeded = 9002
    case applicationNotManaged = 1100
    case invalidArguments = 1101
    case failedToEncryptData = 1102
    case failedToDecryptData = 1103
    case dataNotProtected = 1104
    case emptyData = 1105
    case invalidChallenge = 2100
    case invalidCertificateChain = 2101
    case nilHost = 2102
    case failedTrustEvaluation = 2103
    case failedFormationEvaluation = 2104
    case errorAccessingCert = 2105
    case algNotSupported = 2106
    case matchNotFound = 2107
    case policyRequired = 4001
    case tooManyIdentities = 4002
    case fileUnavailable = 5001
    case fileDamaged = 5002
    case fileInUse = 5003
    case fileTruncated = 5004
    case noFileKey = 5005
    case noFileHandle = 5006
    case unsuitableFile = 5007
    case attributeNotKept = 5008
    case partlyDone = 5009
    case storeUnavailable = 6001
    case wrongSecret = 6002
    case noSecret = 6003
    case damaged = 6004
    case diskFull = 6005
    case newerSchema = 6006
    case wrongPermissions = 6007
    case stateInUse = 6008
    case tokenRefused = 7003
    case challenge = 8001
    case challengeNotOpen = 8002
    case wrongAnswer = 8003
    case pinNotRequired = 8010
    case pinNotSet = 8011
    case pinAlreadySet = 8012
    case wrongPIN = 8013
    case pinNotAllowed = 8014
    case pinRetriesExceeded = 8015
  }

  public let code: Code
  /// Holds no key, PIN, token or protected data.
  public let message: String
  /// What to do about it.
  public let hint: String?
  /// The file or folder it is about.
  public let path: String?
  /// What the system said, and which part of a file it is about.
  public let fault: FileFault?
  /// The files of a folder that it is about.
  package var failures: [FileFailure] = []
  /// What to tell the user.
  package var userText: UserText?
  /// What the host must ask the user.
  package var challenge: Challenge?

  public init(
    _ code: Code, _ message: String, hint: String? = nil, path: String? = nil, fault: FileFault? = nil
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.path = path
    self.fault = fault
  }

  /// What a call ends with that was stopped before its commit point.
  package static let cancelled = MAMError(.cancelled, "nobody waits for the answer any more; nothing was changed")

  /// Whether the same call may succeed later without a change by the caller.
  public var isRetryable: Bool {
    [.storeUnavailable, .diskFull, .fileInUse, .stateInUse, .outOfMemory].contains(code)
      || fault?.number.map(Self.mayPass) ?? false
  }

  /// The name of the message for the user that goes with it; nil for none.
  package var messageKey: String? { userText?.particular?.key }

  /// What to tell the user; nil for nothing.
  package func userMessage(in language: Language) -> String? { userText?.text(in: language) }

  private static func mayPass(_ number: Int32) -> Bool { [ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM].contains(number) }
}

extension MAMError: Equatable {
  public static func == (left: MAMError, right: MAMError) -> Bool { left.code == right.code }
}

extension MAMError: CustomStringConvertible {
  public var description: String { hint.map { "\(message). \($0)" } ?? message }
}
