import JSON
import MAM
import Model
import Policy

enum IsSaveToAllowedForLocation: PolicyQuestion {
  static let name = "policy.isSaveToAllowedForLocation"
  static let summary = "Report whether an account's data may be saved to a location."
  static let details =
    "The policy of the data's owner decides. A null locationAccount means no user, who is always unmanaged."
  struct Params: Targeted {
    var location: SaveLocation
    var locationAccount: AccountReference?
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init,
      Field("location", \.location, "The location where the host wants to save the data."),
      Field(
        "locationAccount", \.locationAccount, "The account that the location belongs to; null if it belongs to none."),
      PolicyTarget.group(account: "The owner of the data; defaults to the effective identity."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether the data may be saved there."
  static let example = Example(
    Params(location: .oneDriveForBusiness, locationAccount: "alice@contoso.example"), true)
  static let sdkMembers = [
    "IntuneMAMPolicy -isSaveToAllowedForLocation:withAccountName:",
    "IntuneMAMPolicy -isSaveToAllowedForLocation:withAccountId:",
  ]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isSaveToAllowed(params.location, locationAccount: params.locationAccount, in: state)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "saving to \(params.location.spoken)")
  }
}

enum IsOpenFromAllowedForLocation: PolicyQuestion {
  static let name = "policy.isOpenFromAllowedForLocation"
  static let summary = "Report whether data from a location may be opened into an account's documents."
  static let details =
    "The policy of the receiver decides. A null locationAccount means no user, who is always unmanaged."
  struct Params: Targeted {
    var location: OpenLocation
    var locationAccount: AccountReference?
    var target = PolicyTarget()
    static let fields = Fields(
      Self.init,
      Field("location", \.location, "The location that the host wants to open data from."),
      Field(
        "locationAccount", \.locationAccount, "The account that the location belongs to; null if it belongs to none."),
      PolicyTarget.group(account: "The receiver; defaults to the effective identity."))
  }
  typealias Result = Bool
  static let resultSummary = "Whether the data may be opened from there."
  static let example = Example(Params(location: .camera), true)
  static let sdkMembers = [
    "IntuneMAMPolicy -isOpenFromAllowedForLocation:withAccountName:",
    "IntuneMAMPolicy -isOpenFromAllowedForLocation:withAccountId:",
  ]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.isOpenFromAllowed(params.location, locationAccount: params.locationAccount, in: state)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "opening from \(params.location.spoken)")
  }
}

enum GetSaveToLocations: PolicyQuestion {
  static let name = "policy.getSaveToLocations"
  static let summary = "Report for each location whether an account's data may be saved to it."
  typealias Params = LocationsParams
  typealias Result = LocationPermissions<SaveLocation>
  typealias Answer = LocationDecisions<SaveLocation>
  static let resultSummary = "For each location, the answer of isSaveToAllowedForLocation."
  static let example = Example(
    Params(locationAccount: "alice@contoso.example"), Result(allowed: [.oneDriveForBusiness, .sharePoint]))
  static let sdkMembers = [
    "IntuneMAMPolicy -getSaveToLocationsForAccount:", "IntuneMAMPolicy -getSaveToLocationsForAccountId:",
  ]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Answer {
    policy.saveToLocations(locationAccount: params.locationAccount, in: state)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "saving", "to", \.spoken)
  }
}

enum GetOpenFromLocations: PolicyQuestion {
  static let name = "policy.getOpenFromLocations"
  static let summary = "Report for each location whether data from it may be opened into an account's documents."
  typealias Params = LocationsParams
  typealias Result = LocationPermissions<OpenLocation>
  typealias Answer = LocationDecisions<OpenLocation>
  static let resultSummary = "For each location, the answer of isOpenFromAllowedForLocation."
  static let example = Example(Params(), Result(allowed: [.camera, .photos]))
  static let sdkMembers = [
    "IntuneMAMPolicy -getOpenFromLocationsForAccount:", "IntuneMAMPolicy -getOpenFromLocationsForAccountId:",
  ]

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Answer {
    policy.openFromLocations(locationAccount: params.locationAccount, in: state)
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    answer.verdict(on: "opening", "from", \.spoken)
  }
}

/// The parameters of the two questions about all locations at once.
struct LocationsParams: Targeted {
  var locationAccount: AccountReference?
  var target = PolicyTarget()
  static let fields = Fields(
    Self.init,
    Field(
      "locationAccount", \.locationAccount, "The account that the locations belong to; null if they belong to none."),
    PolicyTarget.group())
}

extension SaveLocation {
  fileprivate var spoken: String {
    switch self {
    case .other: "a location of another kind"
    case .oneDriveForBusiness: "OneDrive for Business"
    case .sharePoint: "SharePoint"
    case .box: "Box"
    case .dropbox: "Dropbox"
    case .googleDrive: "Google Drive"
    case .localDrive: "the local drive"
    case .cameraRoll: "the camera roll"
    case .accountDocument: "a document of an account"
    case .iManage: "iManage"
    case .egnyte: "Egnyte"
    }
  }
}

extension OpenLocation {
  fileprivate var spoken: String {
    switch self {
    case .other: "a location of another kind"
    case .oneDriveForBusiness: "OneDrive for Business"
    case .sharePoint: "SharePoint"
    case .camera: "the camera"
    case .localStorage: "local storage"
    case .photos: "the photo library"
    case .accountDocument: "a document of an account"
    case .box: "Box"
    case .iManage: "iManage"
    case .egnyte: "Egnyte"
    }
  }
}

extension LocationPermissions {
  /// "Saving is allowed only to OneDrive for Business and SharePoint", or what applies to every location.
  fileprivate func verdict(on activity: String, _ preposition: String, _ spoken: (Location) -> String) -> String {
    let allowed = Location.allCases.filter { self[$0] }
    if allowed.isEmpty { return "\(activity) \(preposition) every location is blocked" }
    if allowed.count == Location.allCases.count { return "\(activity) \(preposition) every location is allowed" }
    return "\(activity) is allowed only \(preposition) \(allowed.map(spoken).listedInWords)"
  }
}
