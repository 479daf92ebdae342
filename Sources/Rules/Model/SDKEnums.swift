import JSON

/// A location where a host wants to save an account's data.
package enum SaveLocation: String, SDKEnum {
  case other, oneDriveForBusiness, sharePoint, box, dropbox, googleDrive, localDrive, cameraRoll, accountDocument
  case iManage, egnyte
  package static let sdkName = "IntuneMAMSaveLocation"
  package static let sdkValues = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
}

/// A location that a host wants to open data from, into an account's document.
package enum OpenLocation: String, SDKEnum {
  case other, oneDriveForBusiness, sharePoint, camera, localStorage, photos, accountDocument, box, iManage, egnyte
  package static let sdkName = "IntuneMAMOpenLocation"
  package static let sdkValues = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256]
}

/// What a notification may show of an organization's data.
package enum NotificationPolicy: String, SDKEnum {
  case allow, blockOrgData, block
  package static let sdkName = "IntuneMAMNotificationPolicy"
  package static let sdkValues = [0, 1, 2]
}

/// The channel through which the policy of the primary account arrived.
package enum PolicySource: String, SDKEnum {
  case mdm, mam, other
  package static let sdkName = "IntuneMAMPolicySource"
  package static let sdkValues = [0, 1, 2]
}

/// Which of several configured booleans to return.
package enum BoolQueryType: String, SDKEnum {
  case any, or, and
  package static let sdkName = "IntuneMAMBoolQueryType"
  package static let sdkValues = [0, 1, 2]
}

/// Which of several configured numbers to return.
package enum NumberQueryType: String, SDKEnum {
  case any, min, max
  package static let sdkName = "IntuneMAMNumberQueryType"
  package static let sdkValues = [0, 1, 2]
}

/// Which of several configured strings to return.
package enum StringQueryType: String, SDKEnum {
  case any, min, max
  package static let sdkName = "IntuneMAMStringQueryType"
  package static let sdkValues = [0, 1, 2]
}

/// How important a line of the diagnostics log is.
package enum LogLevel: String, SDKEnum, Comparable {
  case verbose, info, warning, error
  package static let sdkName = "IntuneMAMLogLevel"
  package static let sdkValues = [0, 1, 2, 3]

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.sdkValue < right.sdkValue }
}

/// Why data could not be protected or unprotected. The error code on the wire is 1000 greater.
package enum DataProtectionStatusCode: String, SDKEnum {
  case applicationNotManaged, invalidArguments, failedToEncryptData, failedToDecryptData, dataNotProtected, emptyData
  package static let sdkName = "IntuneMAMDataProtectionStatusCode"
  package static let sdkValues = [100, 101, 102, 103, 104, 105]
}

/// Why a file could not be encrypted or decrypted. At SDK level 21, the error code on the wire is 1100 greater.
package enum FileProtectionStatusCode: String, SDKEnum {
  case applicationNotManaged, invalidArguments, failedToEncryptFile, failedToDecryptFile, fileNotFound
  case operationOnDirectory, unmanagedIdentity, internalError
  package static let sdkName = "IntuneMAMFileProtectionStatusCode"
  package static let sdkValues = [100, 101, 102, 103, 104, 105, 106, 107]
}

/// Why a certificate chain was not accepted. The error code on the wire is 2000 greater.
package enum CertificatePinningStatusCode: String, SDKEnum {
  case invalidChallenge, invalidCertificateChain, nilHost, failedTrustEvaluation, failedFormationEvaluation
  case errorAccessingCert, algNotSupported, matchNotFound
  package static let sdkName = "IntuneMAMCertificatePinningStatusCode"
  package static let sdkValues = [100, 101, 102, 103, 104, 105, 106, 107]
}

/// Why a window must show another identity.
package enum IdentitySwitchReason: String, SDKEnum {
  case openURL, cancelConditionalLaunch, documentImport
  package static let sdkName = "IntuneMAMIdentitySwitchReason"
  package static let sdkValues = [0, 1, 2]
}

/// Whether the host added an identity, or switched to it, as requested.
package enum AddIdentityResult: String, SDKEnum {
  case success, failed
  package static let sdkName = "IntuneMAMAddIdentityResult"
  package static let sdkValues = [0, 1]
}

/// Whether a window now shows another identity, as the host requested.
package enum SwitchIdentityResult: String, SDKEnum {
  case success, canceled, notAllowed, failed
  package static let sdkName = "IntuneMAMSwitchIdentityResult"
  package static let sdkValues = [0, 1, 2, 3]
}

/// Whether the host hid an account, as requested.
package enum BlockAccountResult: String, SDKEnum {
  case success, failed
  package static let sdkName = "IntuneMAMBlockAccountResult"
  package static let sdkValues = [0, 1]
}

/// Why an account must be hidden.
package enum BlockAccountReason: String, SDKEnum {
  case notBlocked, conditionalLaunchBlocked, conditionalLaunchCanceled, clockedOut
  package static let sdkName = "IntuneMAMBlockAccountReason"
  package static let sdkValues = [0, 1, 2, 3]
}

/// The identity of a web view.
package enum WebViewPolicy: String, SDKEnum {
  case unset, unmanaged, currentIdentity, currentIdentityBlockUpload
  package static let sdkName = "IntuneMAMWebViewPolicy"
  package static let sdkValues = [0, 1, 2, 3]
}

extension IdentitySwitchReason: SDKEnumValue {}
extension SwitchIdentityResult: SDKEnumValue {}
extension WebViewPolicy: SDKEnumValue {}
extension AddIdentityResult: SDKEnumValue {}
extension BlockAccountResult: SDKEnumValue {}
extension BlockAccountReason: SDKEnumValue {}
extension SaveLocation: SDKEnumValue {}
extension OpenLocation: SDKEnumValue {}
extension NotificationPolicy: SDKEnumValue {}
extension PolicySource: SDKEnumValue {}
extension BoolQueryType: ConfigQueryType {}
extension NumberQueryType: ConfigQueryType {}
extension StringQueryType: ConfigQueryType {}
extension LogLevel: SDKEnumValue {}
extension DataProtectionStatusCode: SDKEnumValue {}
extension FileProtectionStatusCode: SDKEnumValue {}
extension CertificatePinningStatusCode: SDKEnumValue {}
