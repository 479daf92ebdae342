/// What is to become of a file.
struct FileGoal: Sendable {
  let owner: DataOwner
  let isEncrypted: Bool
  /// Under a key that the account's other apps have too.
  var isShared = false
  /// Also when only its key is another one than a new file would get.
  var renewsKey = false
}
