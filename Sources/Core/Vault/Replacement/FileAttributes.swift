import Glibc
import Model
import Support

/// The attributes of a file, to be copied to the file that replaces it.
struct FileAttributes {
  private let status: NodeStatus
  private let extended: [(name: String, value: [UInt8])]
  /// For error messages.
  private let path: String

  /// `status` must be from before the file was read, because reading changes the access time.
  init(of file: DiskFile, _ status: NodeStatus) throws(MAMError) {
    self.status = status
    path = file.path
    let attributes = ExtendedAttributes(descriptor: file.descriptor)
    do throws(SystemError) {
      var extended: [(name: String, value: [UInt8])] = []
      for name in try attributes.names() where name != OwnerAttribute.name {
        if let value = try attributes.value(name) { extended.append((name, value)) }
      }
      self.extended = extended
    } catch {
      throw .file(path, error.number)
    }
  }

  /// Throws an error that names the attribute if one cannot be set. With `withTimes`, also copies the times.
  func apply(to file: DiskFile, withTimes: Bool = true) throws(MAMError) {
    guard fchown(file.descriptor, status.user, status.group) == 0 else { throw .notKept(path, "owner", errno) }
    try applyExtended(ExtendedAttributes(descriptor: file.descriptor))
    // Set the mode after the ACL, which changes the group bits, and after the owner, which clears the special bits.
    guard fchmod(file.descriptor, status.permissions) == 0 else { throw .notKept(path, "mode", errno) }
    try check(NodeStatus(try file.status()))
    if withTimes { try applyTimes(to: file) }
  }

  private func applyExtended(_ target: ExtendedAttributes) throws(MAMError) {
    for (name, value) in extended {
      do throws(SystemError) {
        guard try target.value(name) != value else { continue }
        try target.set(name, value)
      } catch {
        throw .notKept(path, "attribute \(name)", error.number)
      }
    }
    do throws(SystemError) {
      try removeInherited(target)
    } catch {
      throw .notKept(path, "exemption from the folder's default ACL", error.number)
    }
  }

  /// A new file may have inherited an ACL from its folder that the old one does not have.
  private func removeInherited(_ target: ExtendedAttributes) throws(SystemError) {
    let known = Set(extended.map(\.name))
    for name in try target.names() where name.hasPrefix("system.") && !known.contains(name) { try target.remove(name) }
  }

  /// Some file systems accept a change but do not keep it.
  private func check(_ new: NodeStatus) throws(MAMError) {
    guard new.user == status.user, new.group == status.group else { throw .notKept(path, "owner") }
    guard new.permissions == status.permissions else { throw .notKept(path, "mode") }
  }

  private func applyTimes(to file: DiskFile) throws(MAMError) {
    let times = [status.accessed, status.modified]
    guard futimens(file.descriptor, times) == 0 else { throw .notKept(path, "times", errno) }
    let (wanted, found) = (status.modified, NodeStatus(try file.status()).modified)
    guard wanted.tv_sec == found.tv_sec, wanted.tv_nsec == found.tv_nsec else { throw .notKept(path, "times") }
  }
}
