import PropertyList

/// The main storyboard and nib, which SDKs before 2020 wanted to load themselves.
enum MainInterface {
  /// By the names that iOS uses, those in IntuneMAMSettings.
  static let names = [
    ("UIMainStoryboardFile", "MainStoryboardFile"), ("UIMainStoryboardFile~ipad", "MainStoryboardFile~ipad"),
    ("NSMainNibFile", "MainNibFile"), ("NSMainNibFile~ipad", "MainNibFile~ipad"),
  ]

  static func changes(of bundle: Bundle) -> [Change] {
    names.filter { bundle.info.root[$0.0] != nil }.map { (own, setting) in
      Change(
        path: [.settings, .key(setting)], action: .move(from: [.key(own)]), comment: "was \(own); for SDKs before 2020")
    }
  }
}
