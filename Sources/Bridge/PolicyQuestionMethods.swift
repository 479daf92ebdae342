import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addPolicyQuestions() {
    memory(IsPINRequired.self) { params, state throws(MAMError) in
      try state.questions(about: params.account).isPINRequired(devicePINIsSet: state.device.devicePinSet).value
    }
    question(IsManagedBrowserRequired.self) { $0.isManagedBrowserRequired.value }
    question(IsContactSyncAllowed.self) { $0.isContactSyncAllowed.value }
    question(IsWidgetContentSyncAllowed.self) { $0.isWidgetContentSyncAllowed.value }
    question(IsSpotlightIndexingAllowed.self) { $0.isSpotlightIndexingAllowed.value }
    question(AreSiriIntentsAllowed.self) { $0.areSiriIntentsAllowed.value }
    question(IsAppSharingAllowed.self) { $0.isAppSharingAllowed.value }
    question(ShouldFileProviderEncryptFiles.self) { $0.shouldFileProviderEncryptFiles.value }
    question(IsFileEncryptionRequired.self) { $0.isFileEncryptionRequired.value }
    question(GetNotificationPolicy.self) { $0.notificationPolicy.value }
    addLocationQuestions()
  }

  private mutating func question<M: Method>(
    _ method: M.Type, _ answer: @escaping @Sendable (PolicyQuestions) -> M.Result
  ) where M.Params == PolicyTarget {
    memory(method) { params, state throws(MAMError) in
      answer(try state.questions(about: params.account))
    }
  }

  private mutating func addLocationQuestions() {
    memory(IsSaveToAllowedForLocation.self) { params, state throws(MAMError) in
      try state.questions(about: params.target.account)
        .isSaveToAllowed(params.location, locationAccount: params.locationAccount, in: state).value
    }
    memory(IsOpenFromAllowedForLocation.self) { params, state throws(MAMError) in
      try state.questions(about: params.target.account)
        .isOpenFromAllowed(params.location, locationAccount: params.locationAccount, in: state).value
    }
    memory(GetSaveToLocations.self) { params, state throws(MAMError) in
      try state.questions(about: params.target.account)
        .saveToLocations(locationAccount: params.locationAccount, in: state)
    }
    memory(GetOpenFromLocations.self) { params, state throws(MAMError) in
      try state.questions(about: params.target.account)
        .openFromLocations(locationAccount: params.locationAccount, in: state)
    }
  }
}
