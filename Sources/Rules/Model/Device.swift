import JSON
import Support

/// The device as hosts report it. Policies are selected by these properties, and rules compare them. Nothing here is
/// measured.
package struct Device: Hashable, Sendable {
  package var platform = DevicePlatform.ios
  package var osVersion: String?
  package var appVersion: String?
  package var sdkVersion = Self.implementedSDKVersion
  package var manufacturer: String?
  package var model: String?
  package var jailbroken = false
  package var threatLevel = DeviceThreatLevel.notConfigured
  package var devicePinSet = false { didSet { devicePinReported = true } }
  package private(set) var devicePinReported = false
  package var passcodeComplexity: PasscodeComplexity?
  package var knoxAttested: Bool?
  package var developerOptionsEnabled: Bool?
  package var biometricClass: BiometricClass?
  /// When a host last reported that the enrolled biometrics changed.
  package var biometricsChangedAt: Timestamp?
  package var networkAvailable = true
  package var managedAppSchemes: [String] = []
  package var managementType = ManagementType.notReported

  /// The level of the Intune App SDK that is implemented here.
  package static let implementedSDKVersion = "21.7.1"

  package init() {}
}

extension Device: Record {
  package static let fields = Fields(
    Self.init(
      platform:osVersion:appVersion:sdkVersion:manufacturer:model:jailbroken:threatLevel:devicePinSet:
      devicePinReported:passcodeComplexity:knoxAttested:developerOptionsEnabled:biometricClass:biometricsChangedAt:
      networkAvailable:
      managedAppSchemes:managementType:),
    Field("platform", \.platform, "The platform whose policies apply."),
    Field("osVersion", \.osVersion, "The version of the operating system; null if not reported."),
    Field("appVersion", \.appVersion, "The version of the app; null if not reported."),
    Field(
      "sdkVersion", \.sdkVersion,
      "The SDK version that rules compare: the level that the server implements, unless a host set it."),
    Field("manufacturer", \.manufacturer, "The manufacturer of the device; null if not reported."),
    Field("model", \.model, "The model of the device; null if not reported."),
    Field("jailbroken", \.jailbroken, "Whether the device is jailbroken or rooted."),
    Field("threatLevel", \.threatLevel, "The threat level that a threat defense partner reports."),
    Field("devicePinSet", \.devicePinSet, "Whether the device itself requires a PIN."),
    Field(
      "devicePinReported", \.devicePinReported,
      "Whether a host has reported devicePinSet. Until then, nothing is wiped because it is false."),
    Field(
      "passcodeComplexity", \.passcodeComplexity,
      "How strong the device's screen lock is, in Android's levels; null if not reported."),
    Field(
      "knoxAttested", \.knoxAttested,
      "Whether Samsung Knox attested the device as unmodified; null if not reported."),
    Field(
      "developerOptionsEnabled", \.developerOptionsEnabled,
      "Whether Android's developer options are on; null if not reported."),
    Field(
      "biometricClass", \.biometricClass, "The strength of the device's biometrics on Android; null if not reported."),
    Field(
      "biometricsChangedAt", \.biometricsChangedAt,
      "When a host last reported that the enrolled biometrics changed; null if no host reported a change."),
    Field("networkAvailable", \.networkAvailable, "Whether the policy source can be reached."),
    Field(
      "managedAppSchemes", \.managedAppSchemes, "The URL schemes of managed apps on the device, without the colon."),
    Field(
      "managementType", \.managementType,
      "How the device is managed, for assignment filters; notReported if the tenant decides."))

  private init(
    platform: DevicePlatform, osVersion: String?, appVersion: String?, sdkVersion: String, manufacturer: String?,
    model: String?, jailbroken: Bool, threatLevel: DeviceThreatLevel, devicePinSet: Bool,
    devicePinReported: Bool, passcodeComplexity: PasscodeComplexity?, knoxAttested: Bool?,
    developerOptionsEnabled: Bool?,
    biometricClass: BiometricClass?, biometricsChangedAt: Timestamp?, networkAvailable: Bool,
    managedAppSchemes: [String], managementType: ManagementType
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
    self.devicePinReported = devicePinReported
    self.passcodeComplexity = passcodeComplexity
    self.knoxAttested = knoxAttested
    self.developerOptionsEnabled = developerOptionsEnabled
    self.biometricClass = biometricClass
    self.biometricsChangedAt = biometricsChangedAt
    self.networkAvailable = networkAvailable
    self.managedAppSchemes = managedAppSchemes
    self.managementType = managementType
  }
}

extension DevicePlatform: NamedValue {}
extension DeviceThreatLevel: NamedValue {}
extension ManagementType: NamedValue {}

/// The machine that the server runs on, as its system reports it.
package struct HostMachine: Hashable, Sendable {
  package var system: String
  package var release: String
  package var architecture: String

  package init(system: String, release: String, architecture: String) {
    self.system = system
    self.release = release
    self.architecture = architecture
  }
}

extension HostMachine: Record {
  package static let fields = Fields(
    Self.init(system:release:architecture:), Field("system", \.system, "The name of the kernel, such as Linux."),
    Field("release", \.release, "The version of the kernel."),
    Field("architecture", \.architecture, "The architecture of the processor, such as x86_64."))
}

/// The platform whose policies apply.
package enum DevicePlatform: String, CaseIterable, Hashable, Sendable {
  case ios, android, windows
}

/// How strong the screen lock of an Android device is, from weak to strong.
package enum PasscodeComplexity: String, CaseIterable, Comparable, Hashable, Sendable, NamedValue {
  /// No screen lock.
  case none
  case low, medium, high

  package static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }

  private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Android's classes of biometrics, from weak to strong.
package enum BiometricClass: String, CaseIterable, Hashable, Sendable, NamedValue {
  case class1, class2, class3
}
