import JSON
import MAM
import Model

enum GetDevice: MemoryMethod {
  static let name = "device.get"
  static let summary = "What the hosts of this state folder have told of the device."
  static let details = """
    Shared by all apps of the state folder. The machine that the server runs on is not asked.
    """
  typealias Params = NoParameters
  typealias Result = Device
  static let resultSummary = "The device; before anything is told an iOS device with a network."
  static let example = Example(Device())

  static func answer(_ params: Params, _ state: CoreState) -> Device { state.device }
}

enum SetDevice: WorkMethod {
  static let name = "device.set"
  static let summary = "Tells of the device: what policies are chosen by and rules compare."
  static let details = """
    What is absent or null stays as it is; "" takes a text back. Kept for all apps of the state folder, and seen by \
    other processes at their next call. Another platform, and a network that is there again, makes every account check \
    in: this app's before the answer, unless the clock is the system's and another process does it, those of other \
    apps when they run next. Commit point: the store's transaction.
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
    static let fields = Fields(
      Self.init,
      Field("platform", \.platform, "The system whose policies count."),
      Field("osVersion", \.osVersion, "The system's version."),
      Field("appVersion", \.appVersion, "The app's version."),
      Field("sdkVersion", \.sdkVersion, "What SDK version rules compare; \"\" is the implemented level again."),
      Field("manufacturer", \.manufacturer, "The device's manufacturer."),
      Field("model", \.model, "The device's model."),
      Field("jailbroken", \.jailbroken, "Whether the system's own protection is broken."),
      Field("threatLevel", \.threatLevel, "What a threat defense partner reports."),
      Field("devicePinSet", \.devicePinSet, "Whether the device itself asks for a PIN."),
      Field("networkAvailable", \.networkAvailable, "Whether the policy source can be reached."),
      Field("managedAppSchemes", \.managedAppSchemes, "URL schemes of managed apps on the device, without colon."))
  }
  typealias Result = Device
  static let resultSummary = "The device as it is now."
  static let example = Example(Params(jailbroken: true), Device.example)

  static func queue(_ params: Params) -> String? { Queue.enrollment }

  static func answer(_ params: Params, on connection: BridgeConnection) async throws(MAMError) -> Device {
    try await connection.core.hostDevice.change { params.apply(to: &$0) }
  }
}

extension SetDevice.Params {
  func apply(to device: inout Device) {
    if let platform { device.platform = platform }
    if let osVersion { device.osVersion = osVersion.text }
    if let appVersion { device.appVersion = appVersion.text }
    if let sdkVersion { device.sdkVersion = sdkVersion.text ?? Device.implementedSDKVersion }
    if let manufacturer { device.manufacturer = manufacturer.isEmpty ? nil : manufacturer }
    if let model { device.model = model.isEmpty ? nil : model }
    if let jailbroken { device.jailbroken = jailbroken }
    if let threatLevel { device.threatLevel = threatLevel }
    if let devicePinSet { device.devicePinSet = devicePinSet }
    if let networkAvailable { device.networkAvailable = networkAvailable }
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

/// A version as a host tells it: whole numbers with dots. "" takes back what was told.
struct VersionText: FieldValue, Hashable {
  /// Nil for "".
  let text: String?

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> VersionText {
    let text = try String.decode(node)
    guard text.isEmpty || VersionNumber(text) != nil else {
      throw JSONDecodingError(.invalid("must be whole numbers with dots, such as 17.4.1, or \"\""))
    }
    return VersionText(text: text.isEmpty ? nil : text)
  }

  func encode(to writer: inout JSONWriter) { writer.string(text ?? "") }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    ["type": "string", "pattern": "^([0-9]+([.-][0-9]+)*)?$"]
  }
}
