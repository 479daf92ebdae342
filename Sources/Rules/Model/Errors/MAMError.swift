import Glibc

/// An error of the core: what failed, why, and what to do. Errors with the same code are equal.
package struct MAMError: Error, Sendable {
  package let code: ErrorCode
  /// What failed and why. Contains no key, PIN, token or protected data.
  package let message: String
  /// What to do about the error.
  package let hint: String?
  /// The file or folder that failed.
  package let path: String?
  /// The error of the system, and which part of a file is affected.
  package let fault: FileFault?
  /// The files of a folder that failed.
  package var failures: [FileFailure] = []
  /// What to tell the user.
  package var userText: UserText?
  /// What the host must ask the user.
  package var challenge: Challenge?
  /// The status in the SDK's file protection, if the code does not determine it.
  package var fileStatus: FileProtectionStatusCode?
  /// The error that this error stands for in the SDK's domain of file protection.
  package private(set) var cause: ErrorCode?

  package init(
    _ code: ErrorCode, _ message: String, hint: String? = nil, path: String? = nil, fault: FileFault? = nil
  ) {
    self.code = code
    self.message = message
    self.hint = hint
    self.path = path
    self.fault = fault
  }

  /// The error of a call that was stopped before its commit point.
  package static let cancelled = MAMError(.cancelled, "cancelled; nothing was changed")

  /// Whether the same call may succeed later without a change by the caller.
  package var isRetryable: Bool { (cause ?? code).isRetryable || fault?.number.map(Self.mayPass) ?? false }

  /// The name of the message to the user; `nil` if there is none.
  package var messageKey: String? { userText?.particular?.key }

  /// What to tell the user; `nil` if there is nothing to tell.
  package func userMessage(in language: Language) -> String? { userText?.text(in: language) }

  private static func mayPass(_ number: Int32) -> Bool { [ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM].contains(number) }
}

extension MAMError {
  /// The same error with a code of the SDK's file protection, and its own code as the cause. Errors that are not about
  /// data or a file, such as those of the state folder, stay as they are.
  package var inFileProtectionDomain: MAMError {
    guard let status = fileStatus ?? code.fileStatus(fault?.number) else { return self }
    var error = MAMError(ErrorCode(status), message, hint: hint, path: path, fault: fault)
    error.userText = userText
    error.cause = code
    return error
  }
}

extension ErrorCode {
  /// The code on the wire for a status of the SDK's file protection.
  package init(_ status: FileProtectionStatusCode) {
    self =
      switch status {
      case .applicationNotManaged: .fileApplicationNotManaged
      case .invalidArguments: .fileInvalidArguments
      case .failedToEncryptFile: .failedToEncryptFile
      case .failedToDecryptFile: .failedToDecryptFile
      case .fileNotFound: .fileNotFound
      case .operationOnDirectory: .operationOnDirectory
      case .unmanagedIdentity: .unmanagedIdentity
      case .internalError: .fileInternalError
      }
  }

  /// `number` is the system's errno. `nil` for an error that is not about data or a file.
  fileprivate func fileStatus(_ number: Int32?) -> FileProtectionStatusCode? {
    switch self {
    case .applicationNotManaged: .applicationNotManaged
    case .invalidArguments, .emptyData: .invalidArguments
    case .failedToEncryptData: .failedToEncryptFile
    case .failedToDecryptData, .dataNotProtected, .fileDamaged, .fileTruncated, .noFileKey: .failedToDecryptFile
    case .fileUnavailable where number == ENOENT: .fileNotFound
    case .fileUnavailable where number == EISDIR: .operationOnDirectory
    case .fileUnavailable, .fileInUse, .unsuitableFile, .attributeNotKept: .internalError
    default: nil
    }
  }
}

extension MAMError: Equatable {
  package static func == (left: MAMError, right: MAMError) -> Bool { left.code == right.code }
}

extension MAMError: CustomStringConvertible {
  package var description: String { hint.map { "\(message). \($0)" } ?? message }
}
