import HTTP
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import GraphPull

@Suite(.timeLimit(.minutes(5))) struct PullWatchTests {
  /// Plays a watch whose pulls fail or not, and which is canceled while it waits after the last one.
  private static func watch(
    every interval: Duration = .seconds(1800), _ pulls: [Bool], into folder: String
  ) async -> (reports: [Bool], waits: [Duration]) {
    let (count, reports, waits) = (Lock(0), Lock<[Bool]>([]), Lock<[Duration]>([]))
    let watch = PullWatch(every: interval) { wait in
      waits.withLock { $0.append(wait) }
      if count.withLock({ $0 }) == pulls.count { throw CancellationError() }
    }
    await watch.run {
      let number = count.withLock { count in
        defer { count += 1 }
        return count
      }
      let organization: FakeGraph.Answer =
        pulls[number]
        ? .page([["id": .string(PullTests.tenantID), "displayName": .string("Contoso \(number)")]]) : .status(403)
      return await Self.result { () throws in
        try await PullTests.pull(PullTests.graph(["/v1.0/organization": [organization]]), into: folder)
      }
    } report: { result in
      let isSuccess = if case .success = result { true } else { false }
      reports.withLock { $0.append(isSuccess) }
    }
    return (reports.withLock { $0 }, waits.withLock { $0 })
  }

  private static func result(_ body: () async throws -> PullRun.Outcome) async -> Result<PullRun.Outcome, PullFailure> {
    do {
      return .success(try await body())
    } catch let failure as PullFailure {
      return .failure(failure)
    } catch {
      return .failure(PullFailure("\(error)"))
    }
  }

  @Test(
    "pull --watch continues after a failed pull and later writes what Graph has by then",
    arguments: [
      [false, true], [false, false, false, true], [true, false, true], [true, false, false], [false, false],
    ])
  func failures(_ pulls: [Bool]) async throws {
    let parent = TemporaryFolder()
    let folder = parent.file("tenant")
    let (reports, waits) = await Self.watch(pulls, into: folder)
    #expect(reports == pulls)
    #expect(waits == [Duration](repeating: .seconds(1800), count: pulls.count))
    let last = pulls.lastIndex(of: true)
    let name = try? FolderTenant(path: folder).read().displayName
    #expect(name == last.map { "Contoso \($0)" })
  }

  @Test("pull --watch waits at least a minute between pulls", arguments: [(0, 60), (59, 60), (61, 61)])
  func shortest(_ interval: Int, _ wait: Int) async {
    let parent = TemporaryFolder()
    let waits = await Self.watch(every: .seconds(interval), [false, false], into: parent.file("tenant")).waits
    #expect(waits == [.seconds(wait), .seconds(wait)])
  }

  @Test(
    "Canceling pull --watch ends it, and a pull under way is reported only if it succeeded", arguments: [true, false])
  func canceled(_ succeeds: Bool) async throws {
    let parent = TemporaryFolder()
    let (folder, reports, begun) = (parent.file("tenant"), Lock(0), Lock(false))
    let task = Task {
      await PullWatch(every: .seconds(60)) { _ in }.run {
        begun.withLock { $0 = true }
        while !Task.isCancelled { await Task.yield() }
        guard succeeds else { return .failure(PullFailure("Canceled.")) }
        return await Self.result { () throws in
          try await Task { try await PullTests.pull(PullTests.graph(), into: folder) }.value
        }
      } report: { _ in
        reports.withLock { $0 += 1 }
      }
    }
    #expect(await eventually { begun.withLock { $0 } })
    task.cancel()
    await task.value
    #expect(reports.withLock { $0 } == (succeeds ? 1 : 0))
  }
}
