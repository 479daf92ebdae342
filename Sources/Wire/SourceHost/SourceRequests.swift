import MAM
import Model
import SourceProtocol
import Support

/// The messages to a source, from what the core asks.
extension ToSource.CheckIn.Params {
  /// `nil` if the token has a form that no token has.
  init?(_ request: SourceRequest) {
    guard request.token?.hasFormOfToken ?? true else { return nil }
    let reason: ToSource.CheckIn.Reason =
      switch request.reason {
      case .enroll: .enroll
      case .checkIn: .checkIn
      }
    self.init(
      reason: reason, registration: request.registration, account: SourceAccount(request.account),
      app: CheckInApp(id: request.appId, version: request.device.appVersion, sdkVersion: request.device.sdkVersion),
      device: CheckInDevice(request.device, of: request.machine), etag: request.etag, applied: request.applied,
      token: request.token.map { TokenText($0.bytes) })
  }
}

extension SourceAccount {
  init(_ account: Account) { self.init(accountId: account.accountId, identity: account.identity) }
}

extension CheckInDevice {
  fileprivate init(_ device: Device, of machine: SourceDevice) {
    let managementType = device.managementType == .notReported ? nil : device.managementType.rawValue
    self.init(
      tag: machine.tag, name: machine.name, platform: Platform(device.platform), osVersion: device.osVersion,
      manufacturer: device.manufacturer, model: device.model, jailbroken: device.jailbroken,
      managementType: managementType)
  }
}

extension CheckInDevice.Platform {
  fileprivate init(_ platform: DevicePlatform) {
    switch platform {
    case .ios: self = .ios
    case .android: self = .android
    case .windows: self = .windows
    }
  }
}

extension ToSource.AcquireToken.Params {
  init(_ request: SourceTokenRequest) {
    self.init(account: SourceAccount(request.account), silent: request.show == nil, claims: request.claims)
  }
}

extension ToSource.Report.Params {
  init(_ report: SourceReport, of operation: String) {
    self.init(
      registration: report.registration, operation: operation, outcome: report.failure == nil ? .done : .failed,
      time: report.time.description, reason: report.failure)
  }
}
