import CGlibc
import Glibc

/// The last descriptors of the process, which are left to the libraries. libdispatch reads /proc each second while work
/// waits for a thread, and ends the process if it cannot: nobody outside may take the last descriptor.
package enum DescriptorReserve {
  /// The number of descriptors.
  package static let size = 8

  /// The number of the error if no other descriptor can be had, EMFILE or ENFILE; `nil` if there is room. Call before
  /// a descriptor is taken for somebody outside.
  package static var shortage: Int32? {
    let probe = eventfd(0, Int32(EFD_CLOEXEC))
    guard probe >= 0 else { return [EMFILE, ENFILE].contains(errno) ? errno : nil }
    close(probe)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
    // A new descriptor gets the lowest number that is free, so all lower ones are taken.
    var (number, free) = (probe, 0)
    while number < Int32(clamping: limit.rlim_cur) {
      if fcntl(number, F_GETFD) < 0 { free += 1 }
      if free > size { return nil }
      number += 1
    }
    return EMFILE
  }
}
