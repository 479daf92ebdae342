import Glibc

/// Since some moment in the past; for time limits of the transport alone, the core has a clock of its own.
func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
