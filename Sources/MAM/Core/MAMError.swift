/// What the core could not do, why, and the way out. Equal when the codes are.
public struct MAMError: Error, Sendable {
  /// The code on the wire and its stable name.
  public enum Code: Int, Sendable {
    case cancelled = -32800
    case manualClockNeeded = 9001
    case applicationNotManaged = 1100
    case invalidArguments = 1101
    case failedToEncryptData = 1102
    case failedToDecryptData = 1103
    case dataNotProtected = 1104
    case emptyData = 1105
    case policyRequired = 4001
    case storeUnavailable = 6001
    case wrongSecret = 6002
    case noSecret = 6003
    case damaged = 6004
    case diskFull = 6005
    case newerSchema = 6006
    case wrongPermissions = 6007
  }

  public let code: Code
  /// Holds no key, PIN, token or protected data.
  public let message: String
  /// What to do about it.
  public let hint: String?
  /// The file or folder it is about.
  public let path: String?

  public init(_ code: Code, _ message: String, hint: String? = nil, path: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.path = path
  }

  /// What a call ends with that was stopped before its commit point.
  static let cancelled = MAMError(.cancelled, "nobody waits for the answer any more; nothing was changed")

  /// Whether the same call may succeed later without a change by the caller.
  public var isRetryable: Bool { code == .storeUnavailable || code == .diskFull }
}

extension MAMError: Equatable {
  public static func == (left: MAMError, right: MAMError) -> Bool { left.code == right.code }
}

extension MAMError: CustomStringConvertible {
  public var description: String { hint.map { "\(message). \($0)" } ?? message }
}
