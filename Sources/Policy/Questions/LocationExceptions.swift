import Model

/// The locations that a list names for saving. Informative ones of the list, iManage and egnyte, are no locations.
package struct SaveExceptions: Sendable {
  private let oneDriveForBusiness, sharePoint, box, localDrive, cameraRoll: Bool

  package init(_ listed: [DataStorageLocation]) {
    oneDriveForBusiness = listed.contains(.oneDriveForBusiness)
    sharePoint = listed.contains(.sharePoint)
    box = listed.contains(.box)
    localDrive = listed.contains(.localStorage)
    cameraRoll = listed.contains(.photoLibrary)
  }

  package func contains(_ location: SaveLocation) -> Bool {
    switch location {
    case .oneDriveForBusiness: oneDriveForBusiness
    case .sharePoint: sharePoint
    case .box: box
    case .localDrive: localDrive
    case .cameraRoll: cameraRoll
    case .other, .dropbox, .googleDrive, .accountDocument: false
    }
  }
}

/// The locations that a list names for opening.
package struct OpenExceptions: Sendable {
  private let oneDriveForBusiness, sharePoint, camera, photos, localStorage: Bool

  package init(_ listed: [DataIngestionLocation]) {
    oneDriveForBusiness = listed.contains(.oneDriveForBusiness)
    sharePoint = listed.contains(.sharePoint)
    camera = listed.contains(.camera)
    photos = listed.contains(.photoLibrary)
    localStorage = listed.contains(.localStorage)
  }

  package func contains(_ location: OpenLocation) -> Bool {
    switch location {
    case .oneDriveForBusiness: oneDriveForBusiness
    case .sharePoint: sharePoint
    case .camera: camera
    case .photos: photos
    case .localStorage: localStorage
    case .other, .accountDocument: false
    }
  }
}
