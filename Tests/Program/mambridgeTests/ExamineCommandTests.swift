import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct ExamineCommandTests {
  private let folder = TemporaryFolder()

  private func examine(_ text: String, _ arguments: String...) throws -> Subprocess.Outcome {
    try Program.run(["examine", folder.write(text, to: "input.txt")] + arguments)
  }

  @Test("examine exits with 0 for a decided cause, 1 for an undecided one and 2 for unreadable input")
  func exitCodes() throws {
    let decided = try examine("AADSTS650057: Invalid resource\n")
    #expect(decided.status == 0)
    #expect(decided.errors == "")
    #expect(decided.lines.first == "Cause: the permission is missing in the registration of the app.")
    let undecided = try examine("IntuneMAM: Enrollment failed with status code 203 and error code 0\n")
    #expect(undecided.status == 1)
    #expect(undecided.lines.first == "Not decided by this input.")
    let nothing = try examine("Good morning\n")
    #expect(nothing.status == 1)
    #expect(nothing.lines.count == 1)
    let binary = try examine("PK\u{3}\u{4} and so on\n")
    #expect(binary.status == 2)
    #expect(binary.errors.contains("Unpack it"))
    let empty = try examine("")
    #expect(empty.status == 2)
    #expect(empty.errors.contains("is empty"))
    let missing = try Program.run(["examine", folder.file("none")])
    #expect(missing.status == 2)
    #expect(missing.errors.contains("No such file"))
    let isFolder = try Program.run(["examine", folder.path])
    #expect(isFolder.status == 2)
    #expect(isFolder.errors.contains("Is a directory"))
  }

  @Test("examine needs no more memory for a longer log")
  func memory() throws {
    let line = "2026-01-05T10:00:02.000Z ERRO IntuneMAM: Enrollment failed with status code 203 and error code 0 {}\n"
    let part = String(repeating: line, count: (1 << 17) / line.utf8.count)
    let process = try Subprocess(Program.path, ["examine", "-"])
    // What comes first makes the program load its tables.
    for _ in 0..<4 { process.write(part) }
    let before = process.peakMemory
    for _ in 0..<8 { process.write(part) }
    let growth = process.peakMemory - before
    process.closeInput()
    #expect(try process.wait().status == 1)
    #expect(before > 0)
    #expect(growth < 1 << 19, "1 MiB more of the log took \(growth) bytes")
  }

  @Test("examine --json prints codes and settings, but no names or text from the log")
  func json() throws {
    let outcome = try examine(
      """
      2026-01-05T10:00:00.000Z ERRO IntuneMAM: Zanzibar AADSTS65001: no consent for zoe@zanzibar.example
      {"IntuneMAMPolicies": {"AppSharingToLevel": 1, "CustomDialerAppProtocol": "https://zanzibar.example/zoe"}}
      """, "--json")
    let result = try JSONValue(parsing: outcome.output)
    #expect(result["decided"] == true)
    #expect(result["codes"]?.arrayValue?.first?["code"] == "AADSTS65001")
    #expect(result["causes"]?.arrayValue?.first?["number"] == 5)
    #expect(
      result["policies"]?.arrayValue?.first?["settings"]?["allowedOutboundDataTransferDestinations"] == "managedApps")
    let isReplaced = !outcome.output.lowercased().contains("zanzibar") && !outcome.output.contains("zoe")
    #expect(isReplaced, "\(outcome.output)")
  }

  @Test(
    "examine --reproduce writes a script that reproduces the status code",
    arguments: [
      ("enrollment status code: 225", [225]), ("mam status code: 203", [203]), ("statusCode: 200", [200]),
      ("statusCode: 227", [100, 227]), ("statusCode: 214", [100, 214]), ("WRONG_USER\n", [100, 227]),
    ])
  func reproduction(_ text: String, _ codes: [Int]) throws {
    let target = folder.file("case")
    _ = try examine(text, "--reproduce", target)
    let script = "PATH=$(dirname \(Program.path)):$PATH sh \(target)/reproduce.sh"
    let outcome = try Subprocess.run("/bin/sh", ["-c", script])
    let found = outcome.lines.compactMap { try? JSONValue(parsing: $0)["statusCode"]?.intValue }
    #expect(found == codes, "\(outcome)")
  }

  @Test("examine --reproduce says if it writes no reproduction, and refuses an existing folder")
  func noReproduction() throws {
    let target = folder.file("case")
    let outcome = try examine("AADSTS65001\n", "--reproduce", target)
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("no reproduction was written"))
    let exists = access(target, F_OK) == 0
    #expect(!exists)
    let taken = try examine("enrollment status code: 225\n", "--reproduce", folder.path)
    #expect(taken.status == 78)
    #expect(taken.errors.contains("File exists"))
  }
}
