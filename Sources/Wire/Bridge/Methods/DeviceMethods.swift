import JSON
import MAM
import Model
import Support

enum GetDevice: StateMethod {
  static let name = "device.get"
  static let summary = "Return what hosts have reported about the device."
  static let details =
    "All apps of the state folder share this report. The machine that the server runs on is not examined."
  typealias Params = NoParameters
  typealias Result = Device
  static let resultSummary = "The device; before any report, an iOS device with a network."
  static let example = Example(Device())

  static func answer(_ params: Params, _ state: CoreState) -> Device { state.device }
}

enum SetDevice: WorkMethod {
  static let name = "device.set"
  static let summary = "Report properties of the device. They select policies, and rules compare them."
  static let details = """
    A property that is absent or null keeps its value; "" clears a text. The report is stored for all apps of the \
    state folder; other processes see it at their next call. A new platform, another management \
    type, or a network that is back, makes every \
    account check in: accounts of this app before the answer, unless another process is already checking them in; \
    accounts of other apps when those apps run next. Commit point: the store transaction.
    """
  struct Params: Record {
    var platform: DevicePlatform?
    var osVersion: VersionText?
    var appVersion: VersionText?
    var sdkVersion: VersionText?
    var manufacturer: String?
    var model: String?
    var jailbroken: Bool?
    var threatLevel: DeviceThreatLevel?
    var devicePinSet: Bool?
    var networkAvailable: Bool?
    var managedAppSchemes: [String]?
    var passcodeComplexity: PasscodeComplexity?
    var knoxAttested: Bool?
    var developerOptionsEnabled: Bool?
    var biometricClass: BiometricClass?
    var biometricsChanged: Bool?
    var managementType: ManagementType?
    static let fields = Fields(
      Self.init,
      Field("platform", \.platform, "The platform whose policies apply."),
      Field("osVersion", \.osVersion, "The version of the operating system."),
      Field("appVersion", \.appVersion, "The version of the app."),
      Field(
        "sdkVersion", \.sdkVersion,
        "The SDK version that rules compare; \"\" restores the level that the server implements."),
      Field("manufacturer", \.manufacturer, "The manufacturer of the device."),
      Field("model", \.model, "The model of the device."),
      Field("jailbroken", \.jailbroken, "Whether the device is jailbroken or rooted."),
      Field("threatLevel", \.threatLevel, "The threat level that a threat defense partner reports."),
      Field("devicePinSet", \.devicePinSet, "Whether the device itself requires a PIN."),
      Field("networkAvailable", \.networkAvailable, "Whether the policy source can be reached."),
      Field(
        "managedAppSchemes", \.managedAppSchemes, "The URL schemes of managed apps on the device, without the colon."),
      Field(
        "passcodeComplexity", \.passcodeComplexity,
        "The strength of Android's screen lock; until it is reported, low if devicePinSet is true, else none."),
      Field("knoxAttested", \.knoxAttested, "Whether Samsung Knox attested the device as unmodified."),
      Field("developerOptionsEnabled", \.developerOptionsEnabled, "Whether Android's developer options are on."),
      Field("biometricClass", \.biometricClass, "The strength of the device's biometrics on Android."),
      Field(
        "biometricsChanged", \.biometricsChanged,
        "true if the enrolled biometrics just changed, so that a policy may require the PIN; false withdraws that."),
      Field(
        "managementType", \.managementType,
        "How the device is managed, for assignment filters; notReported lets the tenant decide."))
  }
  typealias Result = Device
  static let resultSummary = "The device after the change."
  static let example = Example(Params(jailbroken: true), Device.example)

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> Device {
    try await connection.core.hostDevice.change { params.apply(to: &$0, at: connection.core.now) }
  }
}

extension SetDevice.Params {
  func apply(to device: inout Device, at now: Timestamp) {
    if let platform { device.platform = platform }
    if let osVersion { device.osVersion = osVersion.text }
    if let appVersion { device.appVersion = appVersion.text }
    if let sdkVersion { device.sdkVersion = sdkVersion.text ?? Device.implementedSDKVersion }
    if let manufacturer { device.manufacturer = manufacturer.isEmpty ? nil : manufacturer }
    if let model { device.model = model.isEmpty ? nil : model }
    if let jailbroken { device.jailbroken = jailbroken }
    if let threatLevel { device.threatLevel = threatLevel }
    if let devicePinSet { device.devicePinSet = devicePinSet }
    if let passcodeComplexity { device.passcodeComplexity = passcodeComplexity }
    if let knoxAttested { device.knoxAttested = knoxAttested }
    if let developerOptionsEnabled { device.developerOptionsEnabled = developerOptionsEnabled }
    if let biometricClass { device.biometricClass = biometricClass }
    if let biometricsChanged { device.biometricsChangedAt = biometricsChanged ? now : nil }
    if let networkAvailable { device.networkAvailable = networkAvailable }
    if let managementType { device.managementType = managementType }
    if let managedAppSchemes { device.managedAppSchemes = managedAppSchemes }
  }
}

extension Device {
  fileprivate static let example = {
    var device = Device()
    device.jailbroken = true
    return device
  }()
}

/// A version as a host reports it: whole numbers separated by dots. "" clears it.
struct VersionText: FieldValue, Hashable {
  /// `nil` for "".
  let text: String?

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> VersionText {
    let text = try String.decode(node)
    guard text.isEmpty || VersionNumber(text) != nil else {
      throw JSONDecodingError(.invalid("must be whole numbers separated by dots, such as 17.4.1, or \"\""))
    }
    return VersionText(text: text.isEmpty ? nil : text)
  }

  func encode(to writer: inout JSONWriter) { writer.string(text ?? "") }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "pattern": "^([0-9]+([.-][0-9]+)*)?$"]
  }
}
