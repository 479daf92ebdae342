import JSON
import Model

extension Core {
  /// What support asks for. May block.
  package func diagnosticInformation(version: String, sdkVersion: String) throws(MAMError) -> DiagnosticInformation {
    let services = try refresh()
    let tenant = try? configuration.tenant.read().get()
    return DiagnosticInformation(
      version: version, sdkVersion: sdkVersion, appId: configuration.stateFolder.appId,
      platform: state.device.platform.rawValue, time: now, isManagementEnabled: state.isManagementEnabled,
      isRestartPending: restart.isPending, source: configuration.tenant.kind,
      accounts: accountStatuses(of: nil, in: tenant).map { $0.hiding(services.log.valuesToScrub) },
      settings: state.settings.inEffect,
      logPaths: services.log.logPaths)
  }
}

extension AccountStatus {
  /// Without the values of these keys in texts that may quote a file.
  fileprivate func hiding(_ values: NamedValues) -> AccountStatus {
    var status = self
    status.explanation = values.hidden(in: explanation)
    status.lastStatus?.errorString = lastStatus?.errorString.map { values.hidden(in: $0) }
    return status
  }
}

extension Settings {
  /// What is set, without defaults; without the values that must not be in logs, for support gets this beside them.
  fileprivate var inEffect: JSONObject {
    JSONObject(
      SettingKey.all.compactMap { key in
        let value = value(key)
        return value.origin == .defaults || key == .valuesToScrubFromLogging ? nil : (key.name, value.value)
      })
  }
}
