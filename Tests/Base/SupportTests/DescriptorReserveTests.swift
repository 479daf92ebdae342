import Glibc
import Support
import Testing

@Suite struct DescriptorReserveTests {
  @Test("DescriptorReserve reports a shortage once only the reserved file descriptors are free")
  func shortage() {
    var before = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(kind, &before)
    defer { setrlimit(kind, &before) }
    let lowest = open("/dev/null", O_RDONLY | O_CLOEXEC)
    close(lowest)
    // A descriptor far above leaves a gap, whose numbers count.
    let far = fcntl(0, F_DUPFD_CLOEXEC, lowest + 100)
    defer { close(far) }
    for (free, expected) in [(DescriptorReserve.size + 1, nil), (DescriptorReserve.size, EMFILE), (4, EMFILE)] {
      let unused = (lowest..<lowest + 200).filter { fcntl($0, F_GETFD) < 0 }
      var limit = rlimit(rlim_cur: rlim_t(unused[free]), rlim_max: before.rlim_max)
      setrlimit(kind, &limit)
      #expect(DescriptorReserve.shortage == expected, "\(free) free")
    }
  }
}
