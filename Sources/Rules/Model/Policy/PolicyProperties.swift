import JSON

/// The properties of a policy (IntuneMAMPolicy).
public struct PolicyProperties: Hashable, Sendable {
  public var isPINRequired = false
  public var isManagedBrowserRequired = false
  public var isContactSyncAllowed = true
  public var isWidgetContentSyncAllowed = true
  public var isSpotlightIndexingAllowed = true
  public var areSiriIntentsAllowed = true
  public var areAppIntentsAllowed = true
  public var isAppSharingAllowed = true
  public var shouldFileProviderEncryptFiles = false
  public var isFileEncryptionRequired = false
  public var notificationPolicy = NotificationPolicy.allow
  public var isScreenCaptureAllowed = true

  /// The properties of an account without a policy.
  public static let unmanaged = PolicyProperties()
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
public struct KeyValuePair: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
