import JSON

/// A location where a host wants to save an account's data.
public enum SaveLocation: String, SDKEnum {
  case other, oneDriveForBusiness, sharePoint, box, dropbox, googleDrive, localDrive, cameraRoll, accountDocument
  case iManage, egnyte
  public static let sdkName = "IntuneMAMSaveLocation"
  public static let sdkValues = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
}

/// A location that a host wants to open data from, into an account's document.
public enum OpenLocation: String, SDKEnum {
  case other, oneDriveForBusiness, sharePoint, camera, localStorage, photos, accountDocument, box, iManage, egnyte
  public static let sdkName = "IntuneMAMOpenLocation"
  public static let sdkValues = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256]
}

/// What a notification may show of an organization's data.
public enum NotificationPolicy: String, SDKEnum {
  case allow, blockOrgData, block
  public static let sdkName = "IntuneMAMNotificationPolicy"
  public static let sdkValues = [0, 1, 2]
}

/// The channel through which the policy of the primary account arrived.
public enum PolicySource: String, SDKEnum {
  case mdm, mam, other
  public static let sdkName = "IntuneMAMPolicySource"
  public static let sdkValues = [0, 1, 2]
}

/// Which of several configured booleans to return.
public enum BoolQueryType: String, SDKEnum {
  case any, or, and
  public static let sdkName = "IntuneMAMBoolQueryType"
  public static let sdkValues = [0, 1, 2]
}

/// Which of several configured numbers to return.
public enum NumberQueryType: String, SDKEnum {
  case any, min, max
  public static let sdkName = "IntuneMAMNumberQueryType"
  public static let sdkValues = [0, 1, 2]
}

/// Which of several configured strings to return.
public enum StringQueryType: String, SDKEnum {
  case any, min, max
  public static let sdkName = "IntuneMAMStringQueryType"
  public static let sdkValues = [0, 1, 2]
}

/// How important a line of the diagnostics log is.
public enum LogLevel: String, SDKEnum, Comparable {
  case verbose, info, warning, error
  public static let sdkName = "IntuneMAMLogLevel"
  public static let sdkValues = [0, 1, 2, 3]

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.sdkValue < right.sdkValue }
}

/// Why data could not be protected or unprotected. The error code on the wire is 1000 greater.
public enum DataProtectionStatusCode: String, SDKEnum {
  case applicationNotManaged, invalidArguments, failedToEncryptData, failedToDecryptData, dataNotProtected, emptyData
  public static let sdkName = "IntuneMAMDataProtectionStatusCode"
  public static let sdkValues = [100, 101, 102, 103, 104, 105]
}

/// Why a file could not be encrypted or decrypted. At SDK level 21, the error code on the wire is 1100 greater.
public enum FileProtectionStatusCode: String, SDKEnum {
  case applicationNotManaged, invalidArguments, failedToEncryptFile, failedToDecryptFile, fileNotFound
  case operationOnDirectory, unmanagedIdentity, internalError
  public static let sdkName = "IntuneMAMFileProtectionStatusCode"
  public static let sdkValues = [100, 101, 102, 103, 104, 105, 106, 107]
}

/// Why a certificate chain was not accepted. The error code on the wire is 2000 greater.
public enum CertificatePinningStatusCode: String, SDKEnum {
  case invalidChallenge, invalidCertificateChain, nilHost, failedTrustEvaluation, failedFormationEvaluation
  case errorAccessingCert, algNotSupported, matchNotFound
  public static let sdkName = "IntuneMAMCertificatePinningStatusCode"
  public static let sdkValues = [100, 101, 102, 103, 104, 105, 106, 107]
}

/// Why a window must show another identity.
public enum IdentitySwitchReason: String, SDKEnum {
  case openURL, cancelConditionalLaunch, documentImport
  public static let sdkName = "IntuneMAMIdentitySwitchReason"
  public static let sdkValues = [0, 1, 2]
}

/// Whether the host added an identity, or switched to it, as requested.
public enum AddIdentityResult: String, SDKEnum {
  case success, failed
  public static let sdkName = "IntuneMAMAddIdentityResult"
  public static let sdkValues = [0, 1]
}

/// Whether a window now shows another identity, as the host requested.
public enum SwitchIdentityResult: String, SDKEnum {
  case success, canceled, notAllowed, failed
  public static let sdkName = "IntuneMAMSwitchIdentityResult"
  public static let sdkValues = [0, 1, 2, 3]
}

/// Whether the host hid an account, as requested.
public enum BlockAccountResult: String, SDKEnum {
  case success, failed
  public static let sdkName = "IntuneMAMBlockAccountResult"
  public static let sdkValues = [0, 1]
}

/// Why an account must be hidden.
public enum BlockAccountReason: String, SDKEnum {
  case notBlocked, conditionalLaunchBlocked, conditionalLaunchCanceled, clockedOut
  public static let sdkName = "IntuneMAMBlockAccountReason"
  public static let sdkValues = [0, 1, 2, 3]
}

/// The identity of a web view.
public enum WebViewPolicy: String, SDKEnum {
  case unset, unmanaged, currentIdentity, currentIdentityBlockUpload
  public static let sdkName = "IntuneMAMWebViewPolicy"
  public static let sdkValues = [0, 1, 2, 3]
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
