/// What the developer of an app writes by hand.
enum AppSteps {
  private static let faceID = "NSFaceIDUsageDescription"

  static func findings(of bundle: Bundle) -> [Finding] {
    let reason = bundle.info.root[faceID]?.stringValue ?? ""
    guard reason.allSatisfy(\.isWhitespace) else { return [] }
    return [bundle.info.manual(faceID, "tell the user what Face ID is for: a policy may ask for it")]
  }
}
