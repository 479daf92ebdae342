import Glibc
import Model
import Support

/// What a file has besides its content, to be given to the one that takes its place.
struct FileAttributes {
  private let status: NodeStatus
  private let extended: [(name: String, value: [UInt8])]
  /// For errors.
  private let path: String

  /// `status` is from before the file was read: that changes the time of its last access.
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

  /// Refuses, naming it, when one of them cannot be set. `withTimes`: also when it was used last.
  func apply(to file: DiskFile, withTimes: Bool = true) throws(MAMError) {
    guard fchown(file.descriptor, status.user, status.group) == 0 else { throw .notKept(path, "owner", errno) }
    try applyExtended(ExtendedAttributes(descriptor: file.descriptor))
    // After the ACL, which changes the bits of the group, and after the owner, which clears the special bits.
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
      throw .notKept(path, "freedom from the folder's default ACL", error.number)
    }
  }

  /// A new file may have got an ACL from its folder that the old one lacks.
  private func removeInherited(_ target: ExtendedAttributes) throws(SystemError) {
    let known = Set(extended.map(\.name))
    for name in try target.names() where name.hasPrefix("system.") && !known.contains(name) { try target.remove(name) }
  }

  /// Some file systems take a change and do not keep it.
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
