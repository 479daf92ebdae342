import JSON
import Model

package enum GetDevice: Method {
  package static let name = "device.get"
  package static let summary = "What the hosts of this state folder have told of the device."
  package static let details = """
    Shared by all apps of the state folder. The machine that the server runs on is not asked.
    """
  package typealias Params = NoParameters
  package typealias Result = Device
  package static let resultSummary = "The device; before anything is told an iOS device with a network."
  package static let errors: [APIError] = .store
  package static let example = Example(Device())
}

package enum SetDevice: Method {
  package static let name = "device.set"
  package static let summary = "Tells of the device: what policies are chosen by and rules compare."
  package static let details = """
    What is absent or null stays as it is; "" takes a text back. Kept for all apps of the state folder, and seen by \
    other processes at their next call. Another platform, and a network that is there again, makes every account check \
    in: this app's before the answer, unless the clock is the system's and another process does it, those of other apps \
    when they run next. Commit point: the store's transaction.
    """
  package struct Params: Record {
    package var platform: DevicePlatform?
    package var osVersion: VersionText?
    package var appVersion: VersionText?
    package var sdkVersion: VersionText?
    package var manufacturer: String?
    package var model: String?
    package var jailbroken: Bool?
    package var threatLevel: DeviceThreatLevel?
    package var devicePinSet: Bool?
    package var networkAvailable: Bool?
    package var managedAppSchemes: [String]?
    package static let fields = Fields(
      Self.init(
        platform:osVersion:appVersion:sdkVersion:manufacturer:model:jailbroken:threatLevel:devicePinSet:
        networkAvailable:managedAppSchemes:),
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
  package typealias Result = Device
  package static let resultSummary = "The device as it is now."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(jailbroken: true), Device.example)
}

extension SetDevice.Params {
  package func apply(to device: inout Device) {
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
