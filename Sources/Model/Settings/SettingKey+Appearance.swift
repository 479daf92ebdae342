extension SettingKey {
  public static let splashIconFile = SettingKey(
    "SplashIconFile", .string, iosOnly: true, "The icon that is shown while policy is fetched at start.")
  public static let splashIconFileForIPad = SettingKey(
    "SplashIconFile~ipad", .string, iosOnly: true, "The same on an iPad.")
  public static let splashDuration = SettingKey(
    "SplashDuration", .number, default: 1.5, iosOnly: true, "How long that icon is shown at least, in seconds.")
  public static let backgroundColor = SettingKey(
    "BackgroundColor", .color, isProperty: true, "The background of prompts; without it the system's.")
  public static let foregroundColor = SettingKey(
    "ForegroundColor", .color, isProperty: true, "The text of prompts; without it the system's.")
  public static let accentColor = SettingKey(
    "AccentColor", .color, isProperty: true, "Buttons and highlights of prompts; without it the system's.")
  public static let secondaryBackgroundColor = SettingKey(
    "SecondaryBackgroundColor", .color, default: "#FFFFFF", isProperty: true,
    "The secondary background of launch screens.")
  public static let secondaryForegroundColor = SettingKey(
    "SecondaryForegroundColor", .color, default: "#808080", isProperty: true, "The secondary text, such as footnotes.")
  public static let supportsDarkMode = SettingKey(
    "SupportsDarkMode", .bool, default: true, "Whether prompts follow the system's dark mode.")
  public static let mainNibFile = SettingKey(
    "MainNibFile", .string, iosOnly: true, "The main nib, moved here by older configurators.")
  public static let mainNibFileForIPad = SettingKey("MainNibFile~ipad", .string, iosOnly: true, "The same on an iPad.")
  public static let mainStoryboardFile = SettingKey(
    "MainStoryboardFile", .string, iosOnly: true, "The main storyboard, moved here by older configurators.")
  public static let mainStoryboardFileForIPad = SettingKey(
    "MainStoryboardFile~ipad", .string, iosOnly: true, "The same on an iPad.")

  static let appearance: [SettingKey] = [
    .splashIconFile, .splashIconFileForIPad, .splashDuration, .backgroundColor, .foregroundColor, .accentColor,
    .secondaryBackgroundColor, .secondaryForegroundColor, .supportsDarkMode, .mainNibFile, .mainNibFileForIPad,
    .mainStoryboardFile, .mainStoryboardFileForIPad,
  ]
}
