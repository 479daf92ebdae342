import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addPolicyQuestions() {
    question(IsPINRequired.self) { questions, _, state in
      questions.isPINRequired(devicePINIsSet: state.device.devicePinSet)
    }
    question(IsManagedBrowserRequired.self) { $0.isManagedBrowserRequired }
    question(IsContactSyncAllowed.self) { $0.isContactSyncAllowed }
    question(IsWidgetContentSyncAllowed.self) { $0.isWidgetContentSyncAllowed }
    question(IsSpotlightIndexingAllowed.self) { $0.isSpotlightIndexingAllowed }
    question(AreSiriIntentsAllowed.self) { $0.areSiriIntentsAllowed }
    question(IsAppSharingAllowed.self) { $0.isAppSharingAllowed }
    question(ShouldFileProviderEncryptFiles.self) { $0.shouldFileProviderEncryptFiles }
    question(IsFileEncryptionRequired.self) { $0.isFileEncryptionRequired }
    question(GetNotificationPolicy.self) { $0.notificationPolicy }
    addLocationQuestions()
    addLinkQuestions()
    addTransferQuestions()
    add(ExplainPolicy.name) { ExplainMethod() }
  }

  private mutating func addLocationQuestions() {
    question(IsSaveToAllowedForLocation.self) { questions, params, state in
      questions.isSaveToAllowed(params.location, locationAccount: params.locationAccount, in: state)
    }
    question(IsOpenFromAllowedForLocation.self) { questions, params, state in
      questions.isOpenFromAllowed(params.location, locationAccount: params.locationAccount, in: state)
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
      return questions.isURLAllowed(params.url, toManagedApp: isManaged)
    }
    question(IsUniversalLinkAllowed.self) { questions, params, _ in
      questions.isUniversalLinkAllowed(params.url)
    }
    question(IsDocumentPickerAllowed.self) { questions, params, _ in
      questions.isDocumentPickerAllowed(params.mode)
    }
  }

  /// Whose a content is stands on the disk.
  private mutating func addTransferQuestions() {
    question(working: CanReceiveSharedItemProvider.self) { asked, core, _ throws(MAMError) in
      try core.canReceive(asked.params.itemProvider, for: asked.account)
    }
    question(working: CanReceiveSharedFile.self) { asked, core, _ throws(MAMError) in
      try core.canReceive(fileAt: asked.params.path, for: asked.account)
    }
  }
}
