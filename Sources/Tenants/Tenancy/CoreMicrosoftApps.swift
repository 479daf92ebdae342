import Model

/// The apps that allCoreMicrosoftApps means if a policy does not list them. The group grows in Intune, so an export with
/// its apps is better.
package enum CoreMicrosoftApps {
  /// The date of the documentation that names them: Edge, Excel, Office, OneDrive, OneNote, Outlook, PowerPoint, SharePoint,
  /// Teams, To Do and Word.
  static let date = "2022-08"
  /// One of them, on both platforms.
  static let example = "com.microsoft.office.outlook"

  private static let ios: Set<String> = [
    "com.microsoft.msedge", "com.microsoft.office.excel", "com.microsoft.officemobile", "com.microsoft.skydrive",
    "com.microsoft.onenote", "com.microsoft.office.outlook", "com.microsoft.office.powerpoint",
    "com.microsoft.sharepoint", "com.microsoft.skype.teams", "com.microsoft.to-do", "com.microsoft.office.word",
  ]
  private static let android: Set<String> = [
    "com.microsoft.emmx", "com.microsoft.office.excel", "com.microsoft.office.officehub",
    "com.microsoft.office.officehubhl", "com.microsoft.office.officehubrow", "com.microsoft.skydrive",
    "com.microsoft.office.onenote",
    "com.microsoft.office.outlook", "com.microsoft.office.powerpoint", "com.microsoft.sharepoint",
    "com.microsoft.teams", "com.microsoft.todos", "com.microsoft.office.word",
  ]

  /// In lower case. Windows has no such group.
  package static func all(on platform: DevicePlatform) -> Set<String> {
    switch platform {
    case .ios: ios
    case .android: android
    case .windows: []
    }
  }

  /// `app` is in lower case.
  static func contains(_ app: String, on platform: DevicePlatform) -> Bool { all(on: platform).contains(app) }
}
