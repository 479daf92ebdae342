import Model
import Policy

extension Core {
  /// May an account receive what an item provider holds? Without one it is asked for the account that holds where no
  /// identity is set.
  package func canReceive(
    _ provider: ItemProvider, for reference: AccountReference?
  ) throws(MAMError) -> Decision<Bool> {
    try canReceive(from: owner(of: provider), for: reference)
  }

  /// As above; a file that is not there belongs to nobody.
  package func canReceive(
    fileAt path: AbsolutePath, for reference: AccountReference?
  ) throws(MAMError) -> Decision<Bool> {
    try canReceive(from: owner(ofContentAt: path), for: reference)
  }

  /// Nil for nobody, and where there is no content.
  func owner(of provider: ItemProvider) throws(MAMError) -> Account? {
    try provider.data?.bytes.isEmpty == true ? nil : protectionInfo(provider)
  }

  private func canReceive(
    from owner: Account?, for reference: AccountReference?
  ) throws(MAMError) -> Decision<Bool> {
    try refresh()
    let state = state
    return try state.questions(about: reference).canReceive(from: owner?.reference, in: state)
  }
}
