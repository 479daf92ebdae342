/// What Google's attestation must say of a device.
public enum DeviceAttestationType: String, GraphEnum {
  case none, basicIntegrity, basicIntegrityAndDeviceCertification
  public static let graphName = "androidManagedAppSafetyNetDeviceAttestationType"
  public static let graphNumbers: [Int?] = [0, 1, 2]
  public static let sdkNumbers: [Int?] = [nil, nil, nil]
}

/// Whether Google's scan of apps must be on.
public enum AppsVerificationType: String, GraphEnum {
  case none, enabled
  public static let graphName = "androidManagedAppSafetyNetAppsVerificationType"
  public static let graphNumbers: [Int?] = [0, 1]
  public static let sdkNumbers: [Int?] = [nil, nil]
}

/// How the attestation is evaluated.
public enum AttestationEvaluationType: String, GraphEnum {
  case basic, hardwareBacked
  public static let graphName = "androidManagedAppSafetyNetEvaluationType"
  public static let graphNumbers: [Int?] = [0, 1]
  public static let sdkNumbers: [Int?] = [nil, nil]
}
