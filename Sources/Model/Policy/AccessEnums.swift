/// What a PIN consists of.
public enum PINCharacterSet: String, GraphEnum {
  case numeric, alphanumericAndSymbol
  public static let graphName = "managedAppPinCharacterSet"
  public static let graphNumbers: [Int?] = [0, 1]
  public static let sdkNumbers: [Int?] = [1, 0]
}

/// What happens when a rule is broken.
public enum RemediationAction: String, GraphEnum {
  case block, wipe, warn, blockWhenSettingIsSupported
  public static let graphName = "managedAppRemediationAction"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3]
  public static let sdkWords: [String: RemediationAction] = ["reset_pin": .block, "wipe_data": .wipe]
  public static let fromLenientToStrict: [RemediationAction] = [.warn, .blockWhenSettingIsSupported, .block, .wipe]
}

/// The highest threat that a device may report.
public enum DeviceThreatLevel: String, GraphEnum {
  case notConfigured, secured, low, medium, high
  public static let graphName = "managedAppDeviceThreatLevel"
  public static let graphNumbers: [Int?] = [0, 1, 2, 3, 4]
  public static let fromLenientToStrict: [DeviceThreatLevel] = [.notConfigured, .high, .medium, .low, .secured]
}

/// Whose word counts first of two partners for threat defense.
public enum ThreatDefensePartnerPriority: String, GraphEnum {
  case defenderOverThirdPartyPartner, thirdPartyPartnerOverDefender
  public static let graphName = "mobileThreatDefensePartnerPriority"
  public static let graphNumbers: [Int?] = [0, 1]
  public static let sdkNumbers: [Int?] = [nil, nil]
}

/// Whether content must be evaluated by Purview. No numbers are published.
public enum PurviewEvaluationRequirement: String, GraphEnum {
  case notRequired, requiredWhenOnline, required
  public static let graphName = "managedAppPurviewEvaluationRequirement"
  public static let graphNumbers: [Int?] = [nil, nil, nil]
}
