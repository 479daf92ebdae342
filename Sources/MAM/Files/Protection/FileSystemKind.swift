import CGlibc
import Glibc
import Support

/// Which file systems hold no data of users, but what the kernel shows as files.
enum FileSystemKind {
  /// By the numbers of <linux/magic.h>.
  private static let kernelOnly: [UInt64: String] = [
    0x9FA0: "proc", 0x6265_6572: "sysfs", 0x0027_E0EB: "cgroup", 0x6367_7270: "cgroup2", 0x1CD1: "devpts",
    0x6462_6720: "debugfs", 0x7472_6163: "tracefs", 0x7363_6673: "securityfs", 0xCAFE_4A11: "bpf",
  ]
  /// Has the number of tmpfs, which holds data.
  private static let deviceNodes = "devtmpfs"

  /// The name of such a file system that an open folder is on; nil for all others.
  static func ofKernelOnly(_ folder: DiskFile) -> String? {
    var system = statfs()
    guard fstatfs(folder.descriptor, &system) == 0 else { return nil }
    if let name = kernelOnly[UInt64(truncatingIfNeeded: system.f_type) & 0xFFFF_FFFF] { return name }
    guard let device = try? folder.status().st_dev, isDeviceNodes(device) else { return nil }
    return deviceNodes
  }

  /// A line of mountinfo is "36 35 0:5 / /dev rw shared:2 - devtmpfs udev rw": the device number third, and the kind
  /// behind the dash.
  private static func isDeviceNodes(_ device: dev_t) -> Bool {
    guard let bytes = try? FileContents.read("/proc/self/mountinfo") else { return false }
    let number = "\(cglibc_major(device)):\(cglibc_minor(device))"
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      guard fields.count > 2, fields[2] == number, let dash = fields.firstIndex(of: "-") else { return false }
      return dash + 1 < fields.count && fields[dash + 1] == deviceNodes
    }
  }
}
