import Glibc

/// What the core could not do, why, and the way out. Equal when the codes are.
public struct MAMError: Error, Sendable {
  public let code: ErrorCode
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
    _ code: ErrorCode, _ message: String, hint: String? = nil, path: String? = nil, fault: FileFault? = nil
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
  public var isRetryable: Bool { code.isRetryable || fault?.number.map(Self.mayPass) ?? false }

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
