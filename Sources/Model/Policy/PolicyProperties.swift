import JSON

/// What the properties of a policy answer (IntuneMAMPolicy).
public struct PolicyProperties: Hashable, Sendable {
  public var isPINRequired = false
  public var isManagedBrowserRequired = false
  public var isContactSyncAllowed = true
  public var isWidgetContentSyncAllowed = true
  public var isSpotlightIndexingAllowed = true
  public var areSiriIntentsAllowed = true
  public var isAppSharingAllowed = true
  public var shouldFileProviderEncryptFiles = false
  public var isFileEncryptionRequired = false
  public var notificationPolicy = NotificationPolicy.allow

  /// Without a policy.
  public static let unmanaged = PolicyProperties()
}

extension PolicyProperties: Record {
  package static let schemaName: String? = "PolicyProperties"
  package static let fields = Fields(
    Self.init(
      isPINRequired:isManagedBrowserRequired:isContactSyncAllowed:isWidgetContentSyncAllowed:
      isSpotlightIndexingAllowed:areSiriIntentsAllowed:isAppSharingAllowed:shouldFileProviderEncryptFiles:
      isFileEncryptionRequired:notificationPolicy:),
    Field("isPINRequired", \.isPINRequired, "Whether a PIN is required."),
    Field("isManagedBrowserRequired", \.isManagedBrowserRequired, "Whether links need the managed browser."),
    Field("isContactSyncAllowed", \.isContactSyncAllowed, "Whether contacts may be synced."),
    Field("isWidgetContentSyncAllowed", \.isWidgetContentSyncAllowed, "Whether widgets may show data."),
    Field("isSpotlightIndexingAllowed", \.isSpotlightIndexingAllowed, "Whether data may be indexed."),
    Field("areSiriIntentsAllowed", \.areSiriIntentsAllowed, "Whether the assistant may get data."),
    Field("isAppSharingAllowed", \.isAppSharingAllowed, "False where no app may receive data."),
    Field("shouldFileProviderEncryptFiles", \.shouldFileProviderEncryptFiles, "Whether it must encrypt files."),
    Field("isFileEncryptionRequired", \.isFileEncryptionRequired, "Whether files must be encrypted."),
    Field("notificationPolicy", \.notificationPolicy, "What notifications may show."))
}

/// A name and its value, as Graph lists settings that have no member of their own.
public struct KeyValuePair: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
