import JSON

/// Where a host wants to save data of an account.
public enum SaveLocation: String, SDKEnum {
  case other, oneDriveForBusiness, sharePoint, box, dropbox, googleDrive, localDrive, cameraRoll, accountDocument
  public static let sdkName = "IntuneMAMSaveLocation"
  public static let sdkValues = [0, 1, 2, 4, 8, 16, 32, 64, 128]
}

/// Where a host wants to open data from, into a document of an account.
public enum OpenLocation: String, SDKEnum {
  case other, oneDriveForBusiness, sharePoint, camera, localStorage, photos, accountDocument
  public static let sdkName = "IntuneMAMOpenLocation"
  public static let sdkValues = [0, 1, 2, 4, 8, 16, 32]
}

/// What of an organization's data a notification may show.
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

/// Which of several configured booleans is returned.
public enum BoolQueryType: String, SDKEnum {
  case any, or, and
  public static let sdkName = "IntuneMAMBoolQueryType"
  public static let sdkValues = [0, 1, 2]
}

/// Which of several configured numbers is returned.
public enum NumberQueryType: String, SDKEnum {
  case any, min, max
  public static let sdkName = "IntuneMAMNumberQueryType"
  public static let sdkValues = [0, 1, 2]
}

/// Which of several configured strings is returned.
public enum StringQueryType: String, SDKEnum {
  case any, min, max
  public static let sdkName = "IntuneMAMStringQueryType"
  public static let sdkValues = [0, 1, 2]
}

/// How much a line of the diagnostics log matters.
public enum LogLevel: String, SDKEnum, Comparable {
  case verbose, info, warning, error
  public static let sdkName = "IntuneMAMLogLevel"
  public static let sdkValues = [0, 1, 2, 3]

  public static func < (left: LogLevel, right: LogLevel) -> Bool { left.sdkValue < right.sdkValue }
}

/// Why data could not be protected or unprotected; 1000 more is the error code on the wire.
public enum DataProtectionStatusCode: String, SDKEnum {
  case applicationNotManaged, invalidArguments, failedToEncryptData, failedToDecryptData, dataNotProtected, emptyData
  public static let sdkName = "IntuneMAMDataProtectionStatusCode"
  public static let sdkValues = [100, 101, 102, 103, 104, 105]
}

/// Why a chain of certificates was not taken; 2000 more is the error code on the wire.
public enum CertificatePinningStatusCode: String, SDKEnum {
  case invalidChallenge, invalidCertificateChain, nilHost, failedTrustEvaluation, failedFormationEvaluation
  case errorAccessingCert, algNotSupported, matchNotFound
  public static let sdkName = "IntuneMAMCertificatePinningStatusCode"
  public static let sdkValues = [100, 101, 102, 103, 104, 105, 106, 107]
}

/// Why the core wants another identity in a window.
public enum IdentitySwitchReason: String, SDKEnum {
  case openURL, cancelConditionalLaunch, documentImport
  public static let sdkName = "IntuneMAMIdentitySwitchReason"
  public static let sdkValues = [0, 1, 2]
}

/// What became of an identity that the core wanted to add or to switch to.
public enum AddIdentityResult: String, SDKEnum {
  case success, failed
  public static let sdkName = "IntuneMAMAddIdentityResult"
  public static let sdkValues = [0, 1]
}

/// What became of a host's wish to show another identity in a window.
public enum SwitchIdentityResult: String, SDKEnum {
  case success, canceled, notAllowed, failed
  public static let sdkName = "IntuneMAMSwitchIdentityResult"
  public static let sdkValues = [0, 1, 2, 3]
}

/// Whose a web view is.
public enum WebViewPolicy: String, SDKEnum {
  case unset, unmanaged, currentIdentity, currentIdentityBlockUpload
  public static let sdkName = "IntuneMAMWebViewPolicy"
  public static let sdkValues = [0, 1, 2, 3]
}

extension IdentitySwitchReason: SDKEnumValue {}
extension SwitchIdentityResult: SDKEnumValue {}
extension WebViewPolicy: SDKEnumValue {}
extension AddIdentityResult: SDKEnumValue {}
extension SaveLocation: SDKEnumValue {}
extension OpenLocation: SDKEnumValue {}
extension NotificationPolicy: SDKEnumValue {}
extension PolicySource: SDKEnumValue {}
extension BoolQueryType: ConfigQueryType {}
extension NumberQueryType: ConfigQueryType {}
extension StringQueryType: ConfigQueryType {}
extension LogLevel: SDKEnumValue {}
extension DataProtectionStatusCode: SDKEnumValue {}
extension CertificatePinningStatusCode: SDKEnumValue {}
