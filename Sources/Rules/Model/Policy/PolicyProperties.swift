import JSON

/// The properties of a policy (IntuneMAMPolicy).
package struct PolicyProperties: Hashable, Sendable {
  package var isPINRequired = false
  package var isManagedBrowserRequired = false
  package var isContactSyncAllowed = true
  package var isWidgetContentSyncAllowed = true
  package var isSpotlightIndexingAllowed = true
  package var areSiriIntentsAllowed = true
  package var areAppIntentsAllowed = true
  package var isAppSharingAllowed = true
  package var shouldFileProviderEncryptFiles = false
  package var isFileEncryptionRequired = false
  package var notificationPolicy = NotificationPolicy.allow
  package var isScreenCaptureAllowed = true

  /// The properties of an account without a policy.
  package static let unmanaged = PolicyProperties()
}

extension PolicyProperties: Record {
  package static let fields = Fields(
    Self.init(
      isPINRequired:isManagedBrowserRequired:isContactSyncAllowed:isWidgetContentSyncAllowed:
      isSpotlightIndexingAllowed:areSiriIntentsAllowed:areAppIntentsAllowed:isAppSharingAllowed:
      shouldFileProviderEncryptFiles:isFileEncryptionRequired:notificationPolicy:isScreenCaptureAllowed:),
    Field("isPINRequired", \.isPINRequired, "Whether the user must enter a PIN."),
    Field(
      "isManagedBrowserRequired", \.isManagedBrowserRequired, "Whether web links must open in the managed browser."),
    Field("isContactSyncAllowed", \.isContactSyncAllowed, "Whether contacts may be synced to the address book."),
    Field("isWidgetContentSyncAllowed", \.isWidgetContentSyncAllowed, "Whether widgets may show the data."),
    Field(
      "isSpotlightIndexingAllowed", \.isSpotlightIndexingAllowed, "Whether the system's search may index the data."),
    Field("areSiriIntentsAllowed", \.areSiriIntentsAllowed, "Whether the system's assistant may get the data."),
    Field(
      "areAppIntentsAllowed", \.areAppIntentsAllowed,
      "Whether the actions that the app offers to the system and to other programs may get the data."),
    Field("isAppSharingAllowed", \.isAppSharingAllowed, "False only if no app may receive the data."),
    Field(
      "shouldFileProviderEncryptFiles", \.shouldFileProviderEncryptFiles,
      "Whether a file provider must encrypt files that it hands out."),
    Field("isFileEncryptionRequired", \.isFileEncryptionRequired, "Whether files must be encrypted at rest."),
    Field("notificationPolicy", \.notificationPolicy, "What notifications may show."),
    Field(
      "isScreenCaptureAllowed", \.isScreenCaptureAllowed, "Whether the screen may be captured while it shows the data.")
  )
}

/// A name and a value, as Graph lists settings without a member of their own.
package struct KeyValuePair: Hashable, Sendable {
  package var name: String
  package var value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
