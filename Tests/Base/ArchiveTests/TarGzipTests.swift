import Glibc
import Support
import TestSupport
import Testing

@testable import Archive

@Suite struct TarGzipTests {
  private static let time = Timestamp(milliseconds: 1_770_000_000_000)

  private func archive(_ files: [(String, [UInt8])]) throws -> [UInt8] {
    let archive = try TarGzip(time: Self.time)
    var bytes: [UInt8] = []
    for (name, content) in files {
      bytes += archive.begin(name, size: content.count)
      for start in stride(from: 0, to: content.count, by: 70_000) {
        bytes += archive.add(content[start..<min(start + 70_000, content.count)])
      }
      bytes += archive.end(size: content.count)
    }
    return bytes + archive.finish()
  }

  @Test("tar extracts the files of an archive with their content, mode and time")
  func readBack() throws {
    var generator = SeededGenerator(state: 7)
    let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let files: [(String, [UInt8])] = [
      ("a/empty", []), ("a/block", [UInt8](repeating: 65, count: 512)), ("b", Array("text\n".utf8)), ("c/noise", noise),
    ]
    let folder = TemporaryFolder()
    try write(archive(files), to: folder.file("archive.tar.gz"))
    let list = try Subprocess.run("/bin/tar", ["--utc", "-tvzf", folder.file("archive.tar.gz")]).output
    #expect(list.split(separator: "\n").count == 4)
    #expect(list.split(separator: "\n").allSatisfy { $0.hasPrefix("-rw-------") && $0.contains("2026-02-02 02:40") })
    _ = try Subprocess.run("/bin/tar", ["-xzf", folder.file("archive.tar.gz"), "-C", folder.path])
    for (name, content) in files { #expect(readFile(folder.file(name)) == content, "\(name)") }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let file = try #require(fopen(path, "w"))
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    fclose(file)
  }

  @Test("An archive keeps all of a long content that cannot be compressed and is added at once")
  func noise() throws {
    var generator = SeededGenerator(state: 8)
    let noise = (0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let archive = try TarGzip(time: Self.time)
    let parts = [archive.begin("noise", size: noise.count), archive.add(noise[...]), archive.end(size: noise.count)]
    let folder = TemporaryFolder()
    try write(parts.flatMap { $0 } + archive.finish(), to: folder.file("archive.tar.gz"))
    _ = try Subprocess.run("/bin/tar", ["-xzf", folder.file("archive.tar.gz"), "-C", folder.path])
    let isSame = readFile(folder.file("noise")) == noise
    #expect(isSame, "\(readFile(folder.file("noise"))?.count ?? 0) bytes")
  }

  @Test("An archive compresses repeated content")
  func compression() throws {
    let lines = Array(String(repeating: "the same line again and again\n", count: 10_000).utf8)
    #expect(try archive([("log", lines)]).count < lines.count / 50)
  }
}
