import JSON
import Model

extension PolicyQuestions {
  /// What every property answers.
  package func properties(devicePINIsSet: Bool) -> PolicyProperties {
    var properties = PolicyProperties.unmanaged
    properties.isPINRequired = isPINRequired(devicePINIsSet: devicePINIsSet).value
    properties.isManagedBrowserRequired = isManagedBrowserRequired.value
    properties.isContactSyncAllowed = isContactSyncAllowed.value
    properties.isWidgetContentSyncAllowed = isWidgetContentSyncAllowed.value
    properties.isSpotlightIndexingAllowed = isSpotlightIndexingAllowed.value
    properties.areSiriIntentsAllowed = areSiriIntentsAllowed.value
    properties.isAppSharingAllowed = isAppSharingAllowed.value
    properties.shouldFileProviderEncryptFiles = shouldFileProviderEncryptFiles.value
    properties.isFileEncryptionRequired = isFileEncryptionRequired.value
    properties.notificationPolicy = notificationPolicy.value
    return properties
  }

  /// `account` is whose policy it is, with both halves as far as they are known.
  package func report(of account: Account, devicePINIsSet: Bool) -> PolicyReport {
    PolicyReport(
      managed: policy != nil, account: account, properties: properties(devicePINIsSet: devicePINIsSet),
      settings: policy?.effective.report ?? [:],
      policies: (policy?.effective.sources ?? []).map { AppliedPolicy(id: $0.id, displayName: $0.displayName) })
  }
}

extension EffectivePolicy {
  fileprivate var report: [String: PolicySettingReport] {
    let reports = settings.merging(description) { setting, _ in setting }.map { name, setting in
      let definition = name.definition
      let report = PolicySettingReport(
        value: definition.write(graph: setting.value), sdkName: sdkName(of: definition),
        sdkValue: definition.write(sdk: setting.value), policyId: setting.policyID)
      return (name.rawValue, report)
    }
    return Dictionary(reports) { first, _ in first }
  }

  /// The name of the list of models says what happens to others.
  private func sdkName(of definition: SettingDefinition) -> String? {
    let wipes = settings[.appActionIfIosDeviceModelNotAllowed]?.value == .word(RemediationAction.wipe.rawValue)
    guard definition.name == .allowedIosDeviceModels, wipes else { return definition.sdk?.names.first }
    return definition.sdk?.names.last
  }
}
