import Database
import Glibc
import HTTP
import JSON
import Support
import Tenancy
import TestSupport
import Testing

@testable import TenantService

/// When a folder is not written.
@Suite(.timeLimit(.minutes(5))) struct FolderEditorTests {
  private func refusal(_ world: EditedWorld) async -> GraphError? {
    do throws(GraphError) {
      try await world.change("T_1", "minimumPinLength", 6)
      return nil
    } catch { return error }
  }

  @Test("An edit is refused with 503 while git holds its lock or the folder has just changed")
  func busy() async throws {
    let world = try await EditedWorld(.sqlite)
    world.temporary.write("", to: ".git/index.lock")
    let git = await refusal(world)
    #expect(git?.status == 503)
    #expect(git?.headers["Retry-After"].flatMap { Int($0) } == 2)
    #expect(git?.message.contains("index.lock") == true)
    unlink(world.temporary.file(".git/index.lock"))
    #expect(await refusal(world) == nil)
    let settling = FolderEditor(
      folder: world.temporary.file("tenant"), store: world.store, served: world.served, settling: .seconds(3600))
    let moved = await world.status { () async throws(GraphError) in
      try await settling.edit(EditedWorld.order) { _ in [.remove(.ios, id: "T_1")] }
    }
    #expect(moved == 503)
    // Perhaps an editor is in the middle of it.
    world.temporary.write("{", to: "tenant/policies/torn.json")
    let torn = await world.status { () async throws(GraphError) in
      try await settling.edit(EditedWorld.order) { _ in [.remove(.ios, id: "T_1")] }
    }
    #expect(torn == 503)
    unlink(world.temporary.file("tenant/policies/torn.json"))
    let editor = FolderEditor(
      folder: world.temporary.file("tenant"), store: world.store, served: world.served, settling: .milliseconds(200))
    var status = 503
    while status == 503 {
      status = await world.status { () async throws(GraphError) in
        try await editor.edit(EditedWorld.order) { _ in [.remove(.ios, id: "T_1")] }
      }
    }
    try await editor.edit(EditedWorld.order) { _ in [.remove(.ios, id: "T_2")] }
    #expect(world.policies == ["T_3", "T_assigned"])
  }

  @Test("An edit is refused with 409 in a folder that pull writes or that cannot be read")
  func unsuitable() async throws {
    let world = try await EditedWorld(.sqlite)
    world.temporary.write("", to: "tenant/.mambridge-pulled")
    let pulled = await refusal(world)
    #expect(pulled?.status == 409)
    #expect(pulled?.message.contains(".mambridge-pulled") == true)
    unlink(world.temporary.file("tenant/.mambridge-pulled"))
    world.temporary.write("{", to: "tenant/policies/broken.json")
    let broken = await refusal(world)
    #expect(broken?.status == 409)
    #expect(broken?.message.contains("policies/broken.json") == true)
    unlink(world.temporary.file("tenant/policies/broken.json"))
    #expect(access(world.temporary.file("tenant/.mambridge-edited"), F_OK) != 0)
    #expect(await refusal(world) == nil)
    #expect(access(world.temporary.file("tenant/.mambridge-edited"), F_OK) == 0)
  }

  @Test("An edit changes and removes a file with a byte order mark") func mark() async throws {
    let world = try await EditedWorld(.sqlite)
    world.temporary.write("\u{FEFF}\(EditedWorld.policy("T_1"))", to: "tenant/policies/ios.json")
    #expect(await refusal(world) == nil)
    let bytes = try FileContents.read(world.temporary.file("tenant/policies/ios.json"))
    #expect(bytes.starts(with: [0xEF, 0xBB, 0xBF, UInt8(ascii: "{")]))
    try await world.edit(.remove(.ios, id: "T_1"))
    #expect(access(world.temporary.file("tenant/policies/ios.json"), F_OK) != 0)
  }

  @Test("A FIFO named .git or a .git folder of another owner does not stop edits") func planted() async throws {
    let world = try await EditedWorld(.sqlite)
    #expect(mkfifo(world.temporary.file(".git"), 0o644) == 0)
    #expect(await refusal(world) == nil)
    unlink(world.temporary.file(".git"))
    world.temporary.write("", to: ".git/index.lock")
    if geteuid() == 0 {
      chown(world.temporary.file(".git"), 65534, 65534)
      #expect(await refusal(world) == nil)
    }
  }

  @Test("An edit refuses to replace a symbolic link") func link() async throws {
    let world = try await EditedWorld(.sqlite)
    let file = world.temporary.file("tenant/policies/ios.json")
    rename(file, world.temporary.file("real.json"))
    symlink("../../real.json", file)
    let error = await refusal(world)
    #expect(error?.status == 409)
    #expect(error?.message.contains("symbolic link") == true)
  }

  @Test("An edit is refused with 503 while another process holds the lock of the folder above", .timeLimit(.minutes(1)))
  func locked() async throws {
    let world = try await EditedWorld(.sqlite)
    let parent = open(world.temporary.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(parent) }
    #expect(Flock.take(parent) == .taken)
    let error = await refusal(world)
    #expect(error?.status == 503)
    #expect(error?.message.contains("holds the lock") == true)
  }
}
