import JSON

/// Whether an account may be used, or why that could not be made so.
public enum ComplianceStatus: String, SDKEnum {
  case compliant, notCompliant, serviceFailure, networkFailure, interactionRequired, userCancelled
  public static let sdkName = "IntuneMAMComplianceStatus"
  public static let sdkValues = [0, 1, 2, 3, 4, 5]
}

extension ComplianceStatus: SDKEnumValue {}
