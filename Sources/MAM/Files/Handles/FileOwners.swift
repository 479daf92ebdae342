import Model

/// Where it is written whose a file is.
protocol FileOwners: Sendable {
  /// Nil for a file that belongs to nobody.
  func owner(of file: DiskFile) throws(MAMError) -> DataOwner?
  /// Throws `fileTruncated` for a plain file that is known to have been encrypted.
  func checkNotCutOff(_ file: DiskFile) throws(MAMError)
  /// Without an owner the file belongs to nobody from now on. The header of an encrypted one says it already.
  func setOwner(_ owner: DataOwner?, of file: DiskFile, isEncrypted: Bool) throws(MAMError)
}
