import JSON

/// The device as the host tells of it: what rules compare and policies are chosen by. Nothing here is measured.
public struct Device: Hashable, Sendable {
  public var platform = DevicePlatform.ios
  public var osVersion: String?
  public var appVersion: String?
  public var sdkVersion = Self.implementedSDKVersion
  public var manufacturer: String?
  public var model: String?
  public var jailbroken = false
  public var threatLevel = DeviceThreatLevel.notConfigured
  public var devicePinSet = false
  public var networkAvailable = true
  public var managedAppSchemes: [String] = []

  /// The level of the Intune App SDK that is implemented here.
  public static let implementedSDKVersion = "19.2.0"

  public init() {}
}

extension Device: Record {
  package static let schemaName: String? = "Device"
  package static let fields = Fields(
    Self.init(
      platform:osVersion:appVersion:sdkVersion:manufacturer:model:jailbroken:threatLevel:devicePinSet:networkAvailable:
      managedAppSchemes:),
    Field("platform", \.platform, "The system whose policies count."),
    Field("osVersion", \.osVersion, "The system's version; null when it is not told."),
    Field("appVersion", \.appVersion, "The app's version; null when it is not told."),
    Field("sdkVersion", \.sdkVersion, "What SDK version rules compare; the implemented level unless it was set."),
    Field("manufacturer", \.manufacturer, "The device's manufacturer; null when it is not told."),
    Field("model", \.model, "The device's model; null when it is not told."),
    Field("jailbroken", \.jailbroken, "Whether the system's own protection is broken."),
    Field("threatLevel", \.threatLevel, "What a threat defense partner reports."),
    Field("devicePinSet", \.devicePinSet, "Whether the device itself asks for a PIN."),
    Field("networkAvailable", \.networkAvailable, "Whether the policy source can be reached."),
    Field("managedAppSchemes", \.managedAppSchemes, "URL schemes of managed apps on the device."))

  private init(
    platform: DevicePlatform, osVersion: String?, appVersion: String?, sdkVersion: String, manufacturer: String?,
    model: String?, jailbroken: Bool, threatLevel: DeviceThreatLevel, devicePinSet: Bool, networkAvailable: Bool,
    managedAppSchemes: [String]
  ) {
    self.platform = platform
    self.osVersion = osVersion
    self.appVersion = appVersion
    self.sdkVersion = sdkVersion
    self.manufacturer = manufacturer
    self.model = model
    self.jailbroken = jailbroken
    self.threatLevel = threatLevel
    self.devicePinSet = devicePinSet
    self.networkAvailable = networkAvailable
    self.managedAppSchemes = managedAppSchemes
  }
}

extension DevicePlatform: NamedValue {}
extension DeviceThreatLevel: NamedValue {}

/// The machine that the server runs on, as its system tells of it.
public struct HostMachine: Hashable, Sendable {
  public var system: String
  public var release: String
  public var architecture: String

  public init(system: String, release: String, architecture: String) {
    self.system = system
    self.release = release
    self.architecture = architecture
  }
}

extension HostMachine: Record {
  package static let schemaName: String? = "HostMachine"
  package static let fields = Fields(
    Self.init(system:release:architecture:), Field("system", \.system, "The kernel's name, such as Linux."),
    Field("release", \.release, "The kernel's version."),
    Field("architecture", \.architecture, "The processor's architecture, such as x86_64."))
}

/// The system whose policies count.
public enum DevicePlatform: String, CaseIterable, Hashable, Sendable {
  case ios, android
}
