import Glibc
import JSON
import Support
import TestSupport
import Testing

/// `tenant check git:REV:PATH` and `tenant diff` in repositories of the test.
@Suite struct TenantRevisionTests {
  private let folder = TemporaryFolder()

  init() throws {
    folder.write(
      #"{"tenantId": "t", "users": [{"userPrincipalName": "alice@contoso.example"}]}"#, to: "tenant/tenant.json")
    folder.write(Self.policy("Strict"), to: "tenant/policies/ios.json")
    try git("init", "--quiet", "--initial-branch", "main")
    try commit()
  }

  private static func policy(_ name: String) -> String {
    ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_1", "displayName": "\##(name)", "##
      + ##""appGroupType": "allApps", "assignments": [{"target": {"##
      + ##""@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"}}], "pinRequired": true}"##
  }

  private static let environment = [
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
  ]

  @discardableResult
  private func git(_ words: String..., in name: String = ".") throws -> String {
    let outcome = try Subprocess.run(
      "/usr/bin/env", ["git", "-C", folder.file(name), "-c", "protocol.file.allow=always"] + words,
      environment: Self.environment)
    try #require(outcome.status == 0, "\(words): \(outcome)")
    return outcome.output
  }

  private func commit() throws {
    try git("add", "--all")
    try git("commit", "--quiet", "--message", "tenant")
  }

  private func check(
    _ name: String, in place: String = ".", options: [String] = [], environment: [String: String] = [:]
  ) throws -> Subprocess.Outcome {
    try tenant(["check", name] + options, in: place, environment)
  }

  private func tenant(
    _ words: [String], in place: String = ".", _ environment: [String: String] = [:]
  ) throws -> Subprocess.Outcome {
    let script = "cd \"$1\" && shift && exec \"$0\" tenant \"$@\""
    return try Subprocess.run(
      "/bin/sh", ["-c", script, Program.path, folder.file(place)] + words, environment: environment)
  }

  @Test("tenant diff compares a folder with a git revision, and two git revisions")
  func compared() throws {
    folder.write(Self.policy("Strict").replacing("true", with: "false"), to: "tenant/policies/ios.json")
    let edited = try tenant(["diff", "git:HEAD:tenant", "tenant", "--json"])
    #expect(edited.status == 1, "\(edited)")
    #expect(edited.output.contains(#""member":"pinRequired""#), "\(edited)")
    try commit()
    let committed = try tenant(["diff", "git:HEAD~1:tenant", "git:HEAD:tenant", "--json"])
    #expect(committed == edited)
    #expect(try tenant(["diff", "git:HEAD:tenant", "tenant"]).status == 0)
    let missing = try tenant(["diff", "git:HEAD:tenant", "git:none:tenant"])
    #expect(missing.status == 2, "\(missing)")
    #expect(missing.errors.contains("has no revision none"), "\(missing)")
  }

  @Test("tenant check of a git revision checks what was committed, not what the folder contains now")
  func committed() throws {
    let inFolder = try check("tenant", options: ["--all"])
    folder.write("{", to: "tenant/policies/ios.json")
    let names = [
      "git:HEAD:tenant", "git:main:tenant/", "git:HEAD^{/tenant}:tenant", "git:HEAD^{/ten:*ant}:tenant",
      "git:main@{0}:./tenant",
    ]
    for name in names {
      let outcome = try check(name, options: ["--all"])
      #expect(outcome == inFolder, "\(name) \(outcome)")
      #expect(outcome.output.contains("Strict"), "\(name) \(outcome)")
    }
    let broken = try check("tenant")
    #expect(broken.status == 1)
    #expect(broken.output.contains("unreadable: policies/ios.json"))
  }

  @Test("In git:REV:PATH, PATH is relative to the repository's root, or with a dot to the current folder")
  func places() throws {
    try git("clone", "--quiet", "--bare", ".", folder.file("bare.git"))
    let places = [
      ("tenant/policies", "git:HEAD:tenant"), ("tenant/policies", "git:HEAD:.."), ("tenant", "git:HEAD:./"),
      ("tenant", "git:HEAD:."), ("bare.git", "git:HEAD:tenant"), (".git", "git:HEAD:tenant"),
    ]
    for (place, name) in places {
      let outcome = try check(name, in: place)
      #expect(outcome.output.contains("Strict"), "\(place) \(name) \(outcome)")
    }
    try git("clone", "--quiet", ".", folder.file("whole"))
    try git("mv", "tenant/tenant.json", "tenant/policies", ".", in: "whole")
    let environment = Self.environment
    let moved = try Subprocess.run(
      "/usr/bin/env", ["git", "-C", folder.file("whole"), "commit", "-qam", "move"], environment: environment)
    let root = try check("git:HEAD:", in: "whole")
    #expect(moved.status == 0, "\(root)")
    #expect(root.output.contains("Strict"), "\(root)")
  }

  @Test("A git:REV:PATH that names no folder exits with 78, and is never passed to git as an option")
  func unusable() throws {
    let names = [
      ("git:HEAD", "git:REVISION:FOLDER"), ("git::tenant", "git:REVISION:FOLDER"), ("git:", "git:REVISION:FOLDER"),
      ("git:nosuch:tenant", "has no revision nosuch"), ("git:HEAD~9:tenant", "has no revision HEAD~9"),
      ("git:--all:tenant", "has no revision --all"), ("git:--output=x:tenant", "has no revision"),
      ("git:HEAD..HEAD:tenant", "has no revision"), ("git:HEAD:nosuch", "no folder nosuch in the revision HEAD"),
      ("git:HEAD:tenant/tenant.json", "is a file"), ("git:HEAD:../tenant", "outside of the repository"),
      ("git:HEAD:/tenant", "outside of the repository"),
    ]
    for (name, reason) in names {
      let outcome = try check(name)
      #expect(outcome.status == 78, "\(name) \(outcome)")
      #expect(outcome.output == "", "\(name) \(outcome)")
      #expect(outcome.errors.contains(reason), "\(name) \(outcome)")
      #expect(outcome.errors.split(separator: "\n").count == 1)
    }
    #expect(access(folder.file("x"), F_OK) != 0)
  }

  @Test("tenant check says if git, a repository or the history of a shallow clone is missing")
  func surroundings() throws {
    let missing = try check("git:HEAD:tenant", environment: ["PATH": folder.file("none")])
    #expect(missing.status == 78, "\(missing)")
    #expect(missing.errors.contains("git is not installed"), "\(missing)")
    let outside = TemporaryFolder()
    let nowhere = try Subprocess.run(
      "/bin/sh", ["-c", "cd \"$1\" && exec \"$0\" tenant check git:HEAD:tenant", Program.path, outside.path])
    #expect(nowhere.status == 78, "\(nowhere)")
    #expect(nowhere.errors.contains("not a git repository"), "\(nowhere)")
    try git("commit", "--quiet", "--allow-empty", "--message", "second")
    try git("clone", "--quiet", "--depth", "1", "file://" + folder.path, folder.file("shallow"))
    let shallow = try check("git:HEAD~1:tenant", in: "shallow")
    #expect(shallow.status == 78, "\(shallow)")
    #expect(shallow.errors.contains("git fetch --unshallow"), "\(shallow)")
    let here = try check("git:HEAD:tenant", in: "shallow")
    #expect(here.output.contains("Strict"))
  }

  @Test("tenant check follows symbolic links in a git revision, but not out of the repository")
  func links() throws {
    folder.write(Self.policy("Linked"), to: "shared/ios.json")
    rename(folder.file("tenant/policies"), folder.file("kept"))
    symlink("../shared", folder.file("tenant/policies"))
    symlink("tenant", folder.file("current"))
    try commit()
    let linked = try check("git:HEAD:current")
    #expect(linked.output.contains("Linked"), "\(linked)")
    let cases = [
      ("/etc/hostname", "is a link out of the repository"), ("../../../x", "is outside of the repository"),
      ("nosuch.json", "is a link to a missing file"), ("b.json", "is a link that leads to itself"),
      ("..", "is a folder, not a regular file"),
    ]
    for (target, reason) in cases {
      unlink(folder.file("shared/b.json"))
      symlink(target, folder.file("shared/b.json"))
      try commit()
      let outcome = try check("git:HEAD:current")
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.output.contains("unreadable: policies/b.json: \(reason)"), "\(outcome)")
    }
  }

  @Test("tenant check reports submodules and files over 64 MiB in a git revision as unreadable")
  func oddFiles() throws {
    let id = try git("rev-parse", "HEAD").split(separator: "\n").first.map(String.init) ?? ""
    let name = "tenant/policies/a\"b\n {}:c.json"
    folder.write(
      ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "Odd", "pinRequired": true}"##,
      to: name)
    try commit()
    let odd = try check("git:HEAD:tenant")
    #expect(odd.output.contains(" Odd "), "\(odd)")
    try git("update-index", "--add", "--cacheinfo", "160000,\(id),tenant/policies/sub.json")
    try git("commit", "--quiet", "--message", "submodule")
    let submodule = try check("git:HEAD:tenant")
    #expect(submodule.output.contains("policies/sub.json: is a submodule"), "\(submodule)")
    try git("update-index", "--add", "--cacheinfo", "160000,\(id),tenant/configurations")
    try git("rm", "--quiet", "--cached", "tenant/policies/sub.json")
    try git("commit", "--quiet", "--message", "submodule")
    let configurations = try check("git:HEAD:tenant")
    #expect(configurations.output.contains("unreadable: configurations: cannot be listed: it is a submodule"))
    try git("reset", "--quiet", "--hard", "HEAD~2")
    folder.write("", to: "tenant/policies/large.json")
    truncate(folder.file("tenant/policies/large.json"), (64 << 20) + 1)
    try commit()
    let large = try check("git:HEAD:tenant")
    #expect(large.output.contains("policies/large.json: is larger than 64 MiB"), "\(large)")
  }

  @Test("tenant check of a git revision runs no program that the repository configures")
  func inert() throws {
    let mark = folder.file("ran")
    try git("config", "filter.run.smudge", "touch \(mark)")
    try git("config", "diff.run.textconv", "touch \(mark)")
    try git("config", "core.fsmonitor", "touch \(mark)")
    try git("config", "core.pager", "touch \(mark)")
    try git("config", "alias.cat-file", "!touch \(mark)")
    folder.write("* filter=run diff=run\n", to: ".git/info/attributes")
    let old = try git("rev-parse", "HEAD:tenant/policies/ios.json").split(separator: "\n").map(String.init)
    folder.write(Self.policy("Replaced"), to: "other.json")
    let new = try git("hash-object", "-w", "other.json", "--no-filters").split(separator: "\n").map(String.init)
    try git("replace", old[0], new[0])
    let outcome = try check(
      "git:HEAD:tenant", environment: ["GIT_DIR": "/nonexistent", "GIT_EXTERNAL_DIFF": "touch \(mark)"])
    #expect(outcome.output.contains("Strict"), "\(outcome)")
    #expect(!outcome.output.contains("Replaced"), "\(outcome)")
    #expect(access(mark, F_OK) != 0)
  }

  @Test("tenant check reports objects missing from a partial clone, and does not fetch them")
  func partial() throws {
    try git("config", "uploadpack.allowFilter", "true")
    try git("config", "uploadpack.allowAnySHA1InWant", "true")
    try git("clone", "--quiet", "--bare", "--filter=blob:none", "file://" + folder.path, folder.file("blobless.git"))
    let blobless = try check("git:HEAD:tenant", in: "blobless.git")
    #expect(
      blobless.status == 1 && blobless.output.contains("unreadable: tenant.json: cannot be read: ")
        && blobless.output.contains("partial clone"), "\(blobless)")
    #expect(try check("git:HEAD:tenant", in: "blobless.git") == blobless)
    try git("clone", "--quiet", "--bare", "--filter=tree:0", "file://" + folder.path, folder.file("treeless.git"))
    let treeless = try check("git:HEAD:tenant", in: "treeless.git")
    #expect(treeless.status == 78, "\(treeless)")
    #expect(treeless.output == "", "\(treeless)")
  }

  /// A bare repository whose hook compares what is pushed, and writes what it saw to `seen`.
  private func bareWithHook() throws {
    try git("clone", "--quiet", "--bare", ".", folder.file("bare.git"))
    folder.write(
      """
      #!/bin/sh
      read -r old new name
      "\(Program.path)" tenant diff "git:$old:tenant" "git:$new:tenant" --fail-on looser >"\(folder.file("seen"))" 2>&1

      """, to: "bare.git/hooks/pre-receive")
    chmod(folder.file("bare.git/hooks/pre-receive"), 0o755)
  }

  private func text(_ name: String) -> String {
    String(decoding: (try? FileContents.read(folder.file(name))) ?? [], as: UTF8.self)
  }

  private func push() throws -> Subprocess.Outcome {
    try Subprocess.run(
      "/usr/bin/env", ["git", "-C", folder.path, "push", "--quiet", folder.file("bare.git"), "main"],
      environment: Self.environment)
  }

  @Test("tenant diff in a pre-receive hook can refuse a push that loosens a policy")
  func preReceive() throws {
    try bareWithHook()
    folder.write(Self.policy("Strict").replacing("true", with: "false"), to: "tenant/policies/ios.json")
    try git("commit", "--quiet", "--all", "--message", "looser")
    let looser = try push()
    let seen = text("seen")
    #expect(looser.status != 0, "\(seen)")
    #expect(seen.contains("looser"), "\(seen)")
    #expect(seen.contains("pinRequired true -> false"), "\(seen)")
    folder.write(
      Self.policy("Strict").replacing("true}", with: "true, \"printBlocked\": true}"), to: "tenant/policies/ios.json")
    try git("commit", "--quiet", "--all", "--amend", "--message", "tighter")
    let tighter = try push()
    let accepted = text("seen")
    #expect(tighter.status == 0, "\(tighter) \(accepted)")
    #expect(accepted.contains("tighter"), "\(tighter) \(accepted)")
  }

  @Test("GIT_ variables cannot make tenant check read objects from outside the repository")
  func hostileVariables() throws {
    let elsewhere = TemporaryFolder()
    try git("clone", "--quiet", "--bare", ".", elsewhere.file("other.git"))
    folder.write(Self.policy("Secret"), to: "tenant/policies/ios.json")
    try git("commit", "--quiet", "--all", "--message", "secret")
    try git("push", "--quiet", elsewhere.file("other.git"), "main")
    let id = try git("rev-parse", "HEAD").split(separator: "\n").first.map(String.init) ?? ""
    try git("clone", "--quiet", "--bare", "--no-local", ".", folder.file("bare.git"))
    try git("update-ref", "refs/heads/main", "HEAD~1", in: "bare.git")
    try git("reflog", "expire", "--expire=now", "--all", in: "bare.git")
    try git("-c", "gc.pruneExpire=now", "gc", "--quiet", in: "bare.git")
    let objects = elsewhere.file("other.git/objects")
    symlink(objects, folder.file("bare.git/objects/tmp_objdir-incoming-link"))
    mkdir(folder.file("bare.git/objects/other"), 0o700)
    let others = ["tmp_objdir-incoming-link", "other"].map { folder.file("bare.git/objects/\($0)") }
    for path in [objects] + others {
      let variables = [
        "GIT_QUARANTINE_PATH": path, "GIT_OBJECT_DIRECTORY": path, "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
      ]
      let outcome = try check("git:\(id):tenant", in: "bare.git", environment: variables)
      #expect(outcome.status == 78, "\(path) \(outcome)")
      #expect(outcome.errors.contains("has no revision"), "\(path) \(outcome)")
    }
  }
}
