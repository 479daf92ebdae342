import JSON

/// Whether a user is at work, as the tenant's time clock says.
public enum ClockStatus: String, SDKEnum {
  case notConfigured, unknown, clockedIn, clockedOut, clockedInStale, clockedOutStale
  public static let sdkName = "IntuneMAMClockStatus"
  public static let sdkValues = [0, 1, 2, 3, 4, 5]
}

extension ClockStatus: SDKEnumValue {}
