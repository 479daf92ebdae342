import Glibc
import JSON
import TestSupport
import Testing

@Suite(.ownThreads) struct KeysCommandTests {
  private static let alice: JSONValue = ["account": "alice@contoso.example"]
  private static let figures: JSONValue = ["string": "figures", "account": "alice@contoso.example"]
  let program = Program()

  /// A protected text, made under that secret.
  private func protect(_ secret: [String] = []) throws -> String {
    _ = try program.call("enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example", options: secret)
    let protected = try program.call(
      "dataProtectionManager.protectString", "string=figures", "account=alice@contoso.example", options: secret)
    return try #require(JSONValue(parsing: protected.output).stringValue)
  }

  private func unprotect(_ text: String, _ secret: [String] = []) throws -> Subprocess.Outcome {
    try program.call("dataProtectionManager.unprotectString", "string=\(text)", options: secret)
  }

  private func keys(_ arguments: String...) throws -> Subprocess.Outcome {
    try Program.run(["keys"] + arguments + ["--state", program.state])
  }

  /// With descriptors that the shell opens, such as `3<file`.
  private func run(_ redirections: String, _ arguments: [String]) throws -> Subprocess.Outcome {
    try Subprocess.run("/bin/sh", ["-c", "exec \"$0\" \"$@\" \(redirections)", Program.path] + arguments)
  }

  @Test("A key store opens only with its passphrase, and the error without it names --passphrase-fd")
  func passphrase() throws {
    program.folder.write("correct horse\n", to: "right")
    program.folder.write("correct horsf\n", to: "wrong")
    let call = ["call"] + program.options + ["--passphrase-fd", "3"]
    let (right, wrong) = ("3<\(program.folder.file("right"))", "3<\(program.folder.file("wrong"))")
    _ = try run(right, call + ["enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"])
    let protect = ["dataProtectionManager.protectString", "string=figures", "account=alice@contoso.example"]
    let text = try JSONValue(parsing: run(right, call + protect).output).stringValue ?? ""
    let unprotect = ["dataProtectionManager.unprotectString", "string=\(text)"]
    #expect(try run(right, call + unprotect).output == "\"figures\"\n")
    #expect(try run(wrong, call + unprotect).error?["code"] == 6002)
    let error = try self.unprotect(text).error
    #expect(error?["code"] == 6003)
    #expect(error?["data"]?["hint"]?.stringValue?.contains("--passphrase-fd") == true)
    #expect(try keys("info").output.contains("\"passphrase\""))
  }

  @Test("--passphrase-fd 0 reads the passphrase from the first line of input, before the requests")
  func passphraseOnInput() throws {
    let lines = [
      "correct horse", request("enrollmentManager.registerAndEnrollAccount", Self.alice),
      request("dataProtectionManager.protectString", Self.figures),
    ]
    let options = program.options + ["--passphrase-fd", "0"]
    let outcome = try program.serve(lines.joined(separator: "\n") + "\n", options: options)
    #expect(outcome.replies.count == 2)
    #expect(outcome.replies.last?["result"]?.stringValue != nil)
  }

  @Test("Setting a short passphrase requires --weak-passphrase; opening the key store with it does not")
  func weakPassphrase() throws {
    program.folder.write("short\n", to: "short")
    let short = "3<\(program.folder.file("short"))"
    let call = ["call"] + program.options + ["--passphrase-fd", "3"]
    let enroll = ["enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"]
    let protect = ["dataProtectionManager.protectString", "string=figures", "account=alice@contoso.example"]
    _ = try run(short, call + enroll)
    let refused = try run(short, call + protect)
    #expect(refused.error?["code"] == 6003)
    #expect(refused.error?["data"]?["hint"]?.stringValue?.contains("--weak-passphrase") == true)
    #expect(try run(short, call + protect + ["--weak-passphrase"]).status == 0)
    #expect(try run(short, call + protect).status == 0)
    let change =
      ["keys", "change-secret", "--state", program.state] + ["--passphrase-fd", "3", "--new-passphrase-fd", "4"]
    let both = short + " 4<\(program.folder.file("short"))"
    let failed = try run(both, change)
    #expect(failed.status == 1)
    #expect(failed.errors.contains("--weak-passphrase"))
    #expect(try run(both, change + ["--weak-passphrase"]).status == 0)
  }

  @Test("A key store made with --key-file or --key-command opens only with the same secret")
  func otherSources() throws {
    let file = ["--key-file", program.folder.file("my.key")]
    let text = try protect(file)
    #expect(try unprotect(text, file).output == "\"figures\"\n")
    #expect(try unprotect(text).error?["code"] == 6003)
    program.folder.write(String(repeating: "k", count: 32), to: "secret of mine")
    let command = ["--key-command", "cat '\(program.folder.file("secret of mine"))'"]
    let changed = try Program.run(
      ["keys", "change-secret", "--state", program.state, "--new-key-command", command[1]] + file)
    #expect(changed == Subprocess.Outcome(status: 0, output: "", errors: ""))
    #expect(try unprotect(text, command).output == "\"figures\"\n")
    #expect(try unprotect(text, file).error?["code"] == 6002)
    #expect(try unprotect(text, ["--key-command", "false"]).error?["code"] == 6003)
  }

  @Test("--key-command works if the host ignores SIGCHLD")
  func ignoredChildren() throws {
    let call = ["call"] + program.options + ["--key-command", "printf %040d 0"]
    let calls = [
      ["enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"],
      ["dataProtectionManager.protectString", "string=figures", "account=alice@contoso.example"],
    ]
    for arguments in calls {
      let done = try Subprocess.run("/usr/bin/env", ["--ignore-signal=CHLD", Program.path] + call + arguments)
      #expect(done.status == 0, "\(done)")
    }
  }

  @Test("A key command is done when it exits, even if a background process keeps its output open")
  func background() throws {
    let command = "sh -c 'sleep 600 2>&- & echo $! > \(program.folder.file("left")); printf %040d 0'"
    defer { _ = try? Subprocess.run("/bin/sh", ["-c", "kill $(cat \(program.folder.file("left")))"]) }
    let call = ["call"] + program.options + ["--key-command", command]
    let done = try Program.run(call + ["enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"])
    #expect(done.status == 0, "\(done)")
    let left = try Subprocess.run("/bin/sh", ["-c", "kill -0 $(cat \(program.folder.file("left")))"])
    #expect(left.status == 0)
  }

  @Test("mambridge starts a key command with SIGPIPE and SIGXFSZ not ignored")
  func signals() throws {
    let found = program.folder.file("ignored")
    let command = "sh -c 'grep SigIgn: /proc/self/status > \(found); printf %040d 0'"
    _ = try protect(["--key-command", command])
    let text = try Subprocess.run("/bin/cat", [found]).output
    let mask = try #require(text.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) })
    for number in [SIGXFSZ, SIGPIPE] { #expect(mask & 1 << UInt64(number - 1) == 0, "\(number)") }
  }

  @Test("mambridge starts a key command without the host's ignored and blocked signals")
  func inheritedSignals() throws {
    let found = program.folder.file("signals")
    let command = "sh -c 'grep -E \"Sig(Ign|Blk):\" /proc/self/status > \(found); printf %040d 0'"
    let host = ["--ignore-signal=CHLD,QUIT,USR1,ALRM", "--block-signal=USR2,CHLD,TERM", Program.path]
    let call = ["call"] + program.options + ["--key-command", command]
    let done = try Subprocess.run(
      "/usr/bin/env", host + call + ["enrollmentManager.registerAndEnrollAccount", "account=alice@contoso.example"])
    #expect(done.status == 0, "\(done)")
    let masks = try Subprocess.run("/bin/cat", [found]).output.split(whereSeparator: \.isWhitespace)
    #expect(masks.count == 4)
    // Signals 32 and 33 belong to the C library, which gives them to the program as ignored.
    #expect(masks.compactMap { UInt64($0, radix: 16) }.allSatisfy { $0 & 0x7FFF_FFFF == 0 }, "\(masks)")
  }

  @Test(
    "Invalid secret options exit with 64, and an unreadable passphrase descriptor with 78",
    arguments: [
      (["--key-file", "a", "--passphrase-fd", "3"], 64), (["--key-command", ""], 64),
      (["--key-command", "cat 'a"], 64),
      (["--passphrase-fd", "x"], 64), (["--passphrase-fd=-1"], 64), (["--passphrase-fd", "77"], 78),
    ] as [([String], Int32)])
  func wrongOptions(options: [String], status: Int32) throws {
    for command in [[], ["call"]] {
      let arguments = command + program.options + options + (command.isEmpty ? [] : ["versionInfo.sdkVersion"])
      let outcome = try Program.run(arguments)
      #expect(outcome.status == status, "\(arguments)")
      #expect(outcome.output == "", "\(arguments)")
      #expect(!outcome.errors.isEmpty, "\(arguments)")
    }
  }

  @Test("keys change-secret works while a server runs, and then only the new secret opens the key store")
  func changeSecret() throws {
    let server = try program.start()
    _ = try server.ask("enrollmentManager.registerAndEnrollAccount", Self.alice)
    let text = try #require(server.ask("dataProtectionManager.protectString", Self.figures)["result"]?.stringValue)
    program.folder.write("first phrase\nsecond phrase\n", to: "phrases")
    let phrases = program.folder.file("phrases")
    let change = ["keys", "change-secret", "--state", program.state]
    #expect(try run("3<\(phrases)", change + ["--new-passphrase-fd", "3"]).status == 0)
    #expect(try server.ask("dataProtectionManager.unprotectString", ["string": .string(text)])["result"] == "figures")
    #expect(try unprotect(text).error?["code"] == 6003)
    let both = change + ["--passphrase-fd", "3", "--new-passphrase-fd", "3"]
    #expect(try run("3<\(phrases)", both).status == 0)
    let again = try run("3<\(phrases)", both)
    #expect(again.status == 1)
    #expect(again.output == "")
    #expect(again.errors.contains("6002"))
    #expect(try Program.run(change + ["--passphrase-fd", "0"], input: "second phrase\n").status == 0)
    #expect(try unprotect(text).output == "\"figures\"\n")
    #expect(try server.ask("dataProtectionManager.unprotectString", ["string": .string(text)])["result"] == "figures")
  }

  @Test("The key store still opens if keys change-secret is killed at any time")
  func killed() throws {
    let text = try protect()
    for round in 0..<24 {
      let change = try Subprocess(Program.path, ["keys", "change-secret", "--state", program.state])
      let end = ContinuousClock.now + .milliseconds(round)
      while ContinuousClock.now < end {}
      change.send(signal: SIGKILL)
      _ = try change.wait()
      #expect(try unprotect(text).output == "\"figures\"\n")
    }
  }

  @Test("Without a key store, keys change-secret fails, keys info prints null, and no state is created")
  func noStore() throws {
    let outcome = try keys("change-secret")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("6003"))
    #expect(try keys("info").output == "null\n")
    #expect(access(program.state, F_OK) != 0)
  }

  @Test("keys info prints the ID of the key store and the kind of its secret")
  func info() throws {
    _ = try protect()
    let info = try JSONValue(parsing: keys("info").output)
    #expect(info["secret"] == "keyFile")
    #expect(info["store"]?.stringValue?.utf8.count == 36)
  }

  @Test("keys rotate gives an account a new key in all running servers, and old data stays readable")
  func rotate() throws {
    let (one, other) = (try program.start(), try program.start(["--app-id", "com.example.other"]))
    for server in [one, other] { _ = try server.ask("enrollmentManager.registerAndEnrollAccount", Self.alice) }
    let old = try #require(one.ask("dataProtectionManager.protectString", Self.figures)["result"])
    #expect(try other.ask("dataProtectionManager.unprotectString", ["string": old])["result"] == "figures")
    let rotated = try keys("rotate", "--account", "ALICE@contoso.example")
    #expect(rotated.status == 0)
    #expect(rotated.output.contains("alice@contoso.example"))
    let new = try #require(one.ask("dataProtectionManager.protectString", Self.figures)["result"])
    for server in [one, other] {
      for text in [old, new] {
        #expect(try server.ask("dataProtectionManager.unprotectString", ["string": text])["result"] == "figures")
      }
      let events = try server.ask("events.list", ["types": ["dataProtectionManager.didChange"]])["result"]
      #expect(events?["events"]?.arrayValue?.first?["params"]?["identity"] == "alice@contoso.example")
    }
    #expect(try keyID(old) != keyID(new))
    let stranger = try keys("rotate", "--account", "bob@contoso.example")
    #expect(stranger.status == 1)
    #expect(stranger.errors.contains("1100"))
  }

  /// The id in the header of a protected text: behind 12 bytes and the owner.
  private func keyID(_ text: JSONValue) throws -> [UInt8] {
    let bytes = try #require(Base64Bytes(text: text.stringValue ?? "")).bytes
    let start = 14 + Int(bytes[12]) << 8 + Int(bytes[13])
    return Array(bytes[start..<start + 16])
  }

  @Test("A key file that others can read causes error 6007 with the chmod command that fixes it")
  func permissions() throws {
    let text = try protect()
    let file = program.state + "/keys/root.key"
    chmod(file, 0o644)
    let error = try unprotect(text).error
    #expect(error?["code"] == 6007)
    let hint = try #require(error?["data"]?["hint"]?.stringValue)
    #expect(hint == "chmod 600 '\(file)'")
    #expect(try Subprocess.run("/bin/sh", ["-c", hint]).status == 0)
    #expect(try unprotect(text).output == "\"figures\"\n")
  }

  @Test("The server turns off core dumps")
  func noCores() throws {
    let server = try program.start()
    _ = try server.ask("versionInfo.sdkVersion")
    let limits = String(decoding: readFile("/proc/\(server.identifier)/limits") ?? [], as: UTF8.self)
    let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
    #expect(line.split(separator: " ").filter { $0 == "0" }.count == 2)
  }

  @Test("The help of every command that opens the key store lists the options for its secret")
  func help() throws {
    for command in [["serve"], ["call"], ["keys", "change-secret"], ["keys", "rotate"]] {
      let text = try Program.run(command + ["--help"]).output
      for option in ["--key-file", "--passphrase-fd", "--key-command"] { #expect(text.contains(option)) }
    }
  }
}
