import Glibc
import MAM

/// Measures files of the core beside what the system and OpenSSL do with the same bytes, in turns; medians count.
///
/// `FileBench FOLDER [MIB [RUNS]]`: the folder is on the disk to measure, and keeps nothing.
@main struct FileBench {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1 else {
      print("usage: FileBench FOLDER [MIB [RUNS]]")
      exit(2)
    }
    let size = (arguments.count > 2 ? Int(arguments[2]) ?? 256 : 256) << 20
    let runs = arguments.count > 3 ? Int(arguments[3]) ?? 5 : 5
    let idle = residentKilobytes()
    let subject = try Subject(folder: arguments[1], size: size)
    defer { subject.remove() }
    try report("sequential encrypt, with fsync", 0.6, runs, subject.copyPlain, subject.copyEncrypted)
    try report("sequential read, to AES-256-GCM on 4 KiB", 0.6, runs, subject.decryptBlocks, subject.readEncrypted)
    try report("random 4 KiB read", 0.4, runs, subject.readPlainPages, subject.readEncryptedPages)
    try report("random 4 KiB read, change, write", 0.25, runs, subject.changePlainPages, subject.changeEncryptedPages)
    print("RssAnon above idle: \(Double(residentKilobytes() - idle) / 1024) MB (limit 4)")
  }

  /// Both take turns; the ratios are those of the times, by the clock and of the processor.
  private static func report(
    _ title: String, _ limit: Double, _ runs: Int, _ plain: () throws -> Void, _ ours: () throws -> Void
  ) throws {
    var times: [(plain: Cost, ours: Cost)] = []
    for _ in 0..<runs { times.append((try Cost(of: plain), try Cost(of: ours))) }
    let (plain, ours) = (median(times.map(\.plain.elapsed)), median(times.map(\.ours.elapsed)))
    let processor = median(times.map(\.plain.processor)) / median(times.map(\.ours.processor))
    print(
      "\(title): \(rounded(plain / ours)) (limit \(limit)), of the processor alone \(rounded(processor));",
      "\(rounded(plain)) s beside \(rounded(ours)) s")
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

  /// Anonymous memory of this process.
  private static func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if text.hasPrefix("RssAnon:") { return Int(text.split(separator: " ").dropLast().last ?? "") ?? 0 }
    }
    return 0
  }
}

/// Seconds that something takes.
struct Cost {
  let elapsed, processor: Double

  init(of body: () throws -> Void) rethrows {
    let (start, processorStart) = (Self.seconds(CLOCK_MONOTONIC), Self.seconds(CLOCK_PROCESS_CPUTIME_ID))
    try body()
    elapsed = Self.seconds(CLOCK_MONOTONIC) - start
    processor = Self.seconds(CLOCK_PROCESS_CPUTIME_ID) - processorStart
  }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
