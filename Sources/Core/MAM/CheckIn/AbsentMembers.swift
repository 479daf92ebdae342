import Policy
import SourceProtocol

extension DeliveryContent {
  /// Takes over what was delivered before of the members that an answer does not have.
  mutating func fillIn(_ absent: Set<SourceAnswer.Member>, from before: DeliveryContent) {
    if absent.contains(.certificatePins) { certificatePins = before.certificatePins }
    if absent.contains(.unknownRestrictions), before.policies.contains(where: \.blocksUnknown) {
      for index in policies.indices { policies[index].blocksUnknown = true }
    }
    let known = Set(appConfig.sources.map(\.policyID))
    let kept = before.appConfig.sources.filter { source in
      !known.contains(source.policyID) && source.member(in: before).map(absent.contains) == true
    }
    if !kept.isEmpty { appConfig = AppConfig(sources: appConfig.sources + kept) }
  }
}

extension AppConfig.Source {
  /// The member of an answer that the source was in; `nil` for `policies`, which each answer has.
  fileprivate func member(in content: DeliveryContent) -> SourceAnswer.Member? {
    if channel == .managedDevices { return .mdm }
    guard isDefault else { return .configurations }
    return content.policies.contains { $0.id == policyID } ? nil : .hiddenDefaults
  }
}
