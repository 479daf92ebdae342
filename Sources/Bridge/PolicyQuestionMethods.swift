import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addPolicyQuestions() {
    question(IsPINRequired.self) { questions, _, state in
      questions.isPINRequired(devicePINIsSet: state.device.devicePinSet).value
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
    addLinkQuestions()
    addTransferQuestions()
  }

  /// `answer` is given what can be asked, the call's parameters and the state that they are asked about.
  private mutating func question<M: Method>(
    _ method: M.Type, _ answer: @escaping @Sendable (PolicyQuestions, M.Params, CoreState) -> M.Result
  ) where M.Params: Targeted {
    memory(method, arrival: { params, connection throws(MAMError) in Asked(params, on: connection) }) {
      asked, state throws(MAMError) in answer(try state.questions(about: asked.account), asked.params, state)
    }
  }

  private mutating func question<M: Method>(
    _ method: M.Type, _ answer: @escaping @Sendable (PolicyQuestions) -> M.Result
  ) where M.Params == PolicyTarget {
    question(method) { questions, _, _ in answer(questions) }
  }

  private mutating func addLocationQuestions() {
    question(IsSaveToAllowedForLocation.self) { questions, params, state in
      questions.isSaveToAllowed(params.location, locationAccount: params.locationAccount, in: state).value
    }
    question(IsOpenFromAllowedForLocation.self) { questions, params, state in
      questions.isOpenFromAllowed(params.location, locationAccount: params.locationAccount, in: state).value
    }
    question(GetSaveToLocations.self) { questions, params, state in
      questions.saveToLocations(locationAccount: params.locationAccount, in: state)
    }
    question(GetOpenFromLocations.self) { questions, params, state in
      questions.openFromLocations(locationAccount: params.locationAccount, in: state)
    }
  }

  private mutating func addLinkQuestions() {
    question(IsURLAllowed.self) { questions, params, state in
      let isManaged = params.isKnownManagedAppScheme || state.isSchemeOfManagedApp(params.url.scheme)
      return questions.isURLAllowed(params.url, toManagedApp: isManaged).value
    }
    question(IsUniversalLinkAllowed.self) { questions, params, _ in
      questions.isUniversalLinkAllowed(params.url).value
    }
    question(IsDocumentPickerAllowed.self) { questions, params, _ in
      questions.isDocumentPickerAllowed(params.mode).value
    }
  }

  /// Whose a content is stands on the disk.
  private mutating func addTransferQuestions() {
    work(asking: CanReceiveSharedItemProvider.self) { asked, core, _ throws(MAMError) in
      try core.canReceive(asked.params.itemProvider, for: asked.account).value
    }
    work(asking: CanReceiveSharedFile.self) { asked, core, _ throws(MAMError) in
      try core.canReceive(fileAt: asked.params.path, for: asked.account).value
    }
  }
}
