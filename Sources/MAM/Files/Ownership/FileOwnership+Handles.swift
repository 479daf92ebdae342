import Model

extension FileOwnership: FileOwners {
  func owner(of file: DiskFile) throws(MAMError) -> DataOwner? { try find(file)?.owner }

  func setOwner(_ owner: DataOwner?, of file: DiskFile, isEncrypted: Bool) throws(MAMError) {
    if isEncrypted || owner == nil { try OwnerAttribute.remove(from: file) }
    if let owner {
      try set(owner, on: file, path: file.path, isEncrypted: isEncrypted)
    } else {
      try forget(InodeID(file.status()))
    }
  }
}
