import Database
import Glibc
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// Two administrators and an editor at once. MAMBRIDGE_EDIT_ROUNDS says how many rounds: 1,000 take some minutes.
@Suite(.timeLimit(.minutes(30))) struct EditRoundsTests {
  private static let rounds = environment("MAMBRIDGE_EDIT_ROUNDS").flatMap { Int($0) } ?? 25

  /// Adds one to a member as a tool does: reads, then writes; if others were faster, the service asks again.
  private func count(_ name: String, of id: String, in world: EditedWorld) async {
    while true {
      do throws(GraphError) {
        try await world.editor.edit(EditedWorld.order) { tenant throws(GraphError) in
          guard let policy = tenant.policy(id) else { throw .notFound(id) }
          var object = policy.object
          object[name] = .integer((object[name]?.integerValue ?? 0) + 1)
          return [.set(policy.list, object)]
        }
        return
      } catch {
        // Torn while an editor writes it in its place.
        guard error.status == 503 || error.status == 409 else {
          Issue.record("\(error.status) \(error.message)")
          return
        }
      }
    }
  }

  private func value(_ name: String, of id: String, in files: TenantFileSet) throws -> Int64? {
    GraphTenant(try files.read()).policy(id)?.object[name]?.integerValue
  }

  @Test("Concurrent edits of administrators and saves of a text editor are never lost", arguments: Engines.all)
  func rounds(engine: DatabaseEngine) async throws {
    let world = try await EditedWorld(engine)
    let rounds = Self.rounds
    let isDone = Lock(false)
    let following = Task {
      while !isDone.withLock({ $0 }) {
        await world.follow()
        try? await Task.sleep(for: .milliseconds(5))
      }
    }
    let lost = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<rounds {
            await count("both", of: "T_1", in: world)
            await count("beside", of: "T_2", in: world)
          }
          return 0
        }
      }
      group.addTask {
        engine == .sqlite ? await save(rounds, in: world) : await publish(rounds, in: world)
      }
      return await group.reduce(0, +)
    }
    isDone.withLock { $0 = true }
    await following.value
    await world.follow()
    let source = try await world.source()
    #expect(lost == 0)
    #expect(try value("both", of: "T_1", in: source) == Int64(2 * rounds))
    #expect(try value("editor", of: "T_3", in: source) == Int64(rounds))
    let served = try #require(world.served.edition).tenant
    #expect(GraphTenant(served).policy("T_1")?.object["both"] == .integer(Int64(2 * rounds)))
    #expect(GraphTenant(served).policy("T_3")?.object["editor"] == .integer(Int64(rounds)))
  }

  /// Saves a file that administrators change, too: by turns in its place, and as a new one. What it has saved is there the
  /// next time, whatever they did meanwhile. Returns how many saves were lost.
  private func save(_ rounds: Int, in world: EditedWorld) async -> Int {
    let path = world.temporary.file("tenant/policies/two.json")
    var lost = 0
    for round in 1...rounds {
      guard let bytes = try? FileContents.read(path) else { return rounds }
      var text = JSONText(String(decoding: bytes, as: UTF8.self))
      guard let object = text.elements(at: text.root)?.last else { return rounds }
      let saved = text.value(at: object)?["editor"]?.integerValue ?? 0
      if saved != Int64(round - 1) { lost += 1 }
      text.set("editor", to: .integer(Int64(round)), at: object)
      let target = round.isMultiple(of: 2) ? path : path + ".swp"
      let file = open(target, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      if target == path { ftruncate(file, 0) }
      try? WholeBytes.write(text.bytes, to: file)
      close(file)
      if target != path { rename(target, path) }
      try? await Task.sleep(for: .milliseconds(Int.random(in: 0...3)))
    }
    return lost
  }

  /// Another replica with an administrator of its own.
  private func publish(_ rounds: Int, in world: EditedWorld) async -> Int {
    for _ in 0..<rounds { await count("editor", of: "T_3", in: world) }
    return 0
  }
}
