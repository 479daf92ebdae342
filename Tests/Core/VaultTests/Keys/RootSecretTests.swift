import Cryptography
import Glibc
import Model
import TestSupport
import Testing

@testable import Vault

@Suite struct RootSecretTests {
  let device: Device
  let folder = TemporaryFolder()

  init() throws {
    device = try Device()
  }

  private func keyID(_ source: RootSecretSource) throws -> KeyID {
    try device.keys(secret: source).newestKey(.device).id
  }

  private func refusal(_ source: RootSecretSource) -> MAMError? { failure { _ = try keyID(source) } }

  private func script(_ text: String) -> RootSecretSource { .command(["/bin/sh", "-c", text]) }

  @Test("A key file at another path is created with the store, for its owner only, and opens it again")
  func keyFileElsewhere() throws {
    let path = folder.file("my.key")
    let id = try keyID(.keyFile(at: path))
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
    #expect(status.st_size == 32)
    #expect(access(device.rootFile, F_OK) != 0)
    #expect(try keyID(.keyFile(at: path)) == id)
    #expect(refusal(.keyFile)?.code == .noSecret)
    #expect(refusal(.keyFile(at: folder.file("none.key")))?.code == .noSecret)
    #expect(refusal(.keyFile(at: folder.file("none.key")))?.path == folder.file("none.key"))
  }

  @Test("A key file in a missing folder is refused with a message that says so")
  func noFolder() {
    let error = refusal(.keyFile(at: folder.file("none/my.key")))
    #expect(error?.path == folder.file("none/my.key"))
    #expect(error?.message.contains("its folder does not exist") == true)
  }

  @Test("A folder, pipe or broken link as the key file is refused with what it is and a hint")
  func noKeyFile() {
    folder.write("x", to: "file")
    mkfifo(folder.file("pipe"), 0o600)
    symlink(folder.file("pipe"), folder.file("link"))
    symlink(folder.file("nowhere"), folder.file("dangling"))
    for (name, what) in [
      ("link", "it is a symbolic link to a pipe, a socket or a device"),
      ("dangling", "it is a symbolic link that leads nowhere"),
      ("", "it is a folder"), ("pipe", "it is a pipe, a socket or a device"),
      ("file/my.key", "a folder in its path is a file"),
    ] {
      let error = refusal(.keyFile(at: folder.file(name)))
      #expect(error?.code == .noSecret)
      #expect(error?.path == folder.file(name))
      #expect(error?.message == "cannot read the key file: \(what)")
      #expect(error?.hint?.contains("--key-command") == true)
    }
  }

  @Test("Two stores can share one key file")
  func sharedKeyFile() throws {
    let source = RootSecretSource.keyFile(at: folder.file("my.key"))
    let other = try Device()
    let (id, otherID) = (try keyID(source), try other.keys(secret: source).newestKey(.device).id)
    #expect(try keyID(source) == id)
    #expect(try other.keys(secret: source).newestKey(.device).id == otherID)
  }

  @Test("The output of a key command opens the store, ignoring one final newline")
  func command() throws {
    let secret = String(repeating: "s", count: 32)
    let id = try keyID(script("echo \(secret)"))
    #expect(try keyID(script("printf %s \(secret)")) == id)
    #expect(refusal(script("printf '\(secret)\\n\\n'"))?.code == .wrongSecret)
    #expect(refusal(script("printf x\(secret)"))?.code == .wrongSecret)
    #expect(refusal(.keyFile)?.code == .noSecret)
    #expect(access(device.rootFile, F_OK) != 0)
  }

  @Test(
    "A key command that gives no secret fails with 6003 and its reason, and creates no store",
    arguments: [
      ("printf %031d 0", "fewer than 32 bytes"), ("echo", "fewer than 32 bytes"),
      ("printf %040d 0; exit 3", "ended with status 3"), ("kill -9 $$", "signal 9"),
      ("head -c 5000 /dev/zero", "more than 4096 bytes"),
    ])
  func badCommand(text: String, reason: String) throws {
    let error = refusal(script(text))
    #expect(error?.code == .noSecret)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.hint != nil)
    #expect(access(device.storeFile, F_OK) != 0)
  }

  @Test(
    "A key command that does not exist fails with 6003",
    arguments: [[], ["/no/such/program"], ["no-such-program-anywhere"]])
  func noCommand(words: [String]) {
    #expect(refusal(.command(words))?.code == .noSecret)
  }

  @Test("The error for a key script with a missing interpreter names the interpreter, not the script")
  func noInterpreter() {
    let script = folder.write("#!/no/such/interpreter\n", to: "script")
    chmod(script, 0o700)
    #expect(refusal(.command([script]))?.message.hasSuffix("the interpreter that it names does not exist") == true)
    #expect(refusal(.command([script + "2"]))?.message.hasSuffix("No such file or directory") == true)
  }

  @Test("A key command inherits only standard input, output and error, and its input is empty")
  func commandInherits() throws {
    let descriptor = open("/dev/null", O_RDONLY)
    defer { close(descriptor) }
    let count = "ls /proc/self/fd | wc -l"
    // Beside the three: the folder that ls itself has open.
    #expect(try keyID(script("test $(\(count)) = 4 && test -z \"$(cat)\" && printf %032d 0")).bytes.count == 16)
  }

  @Test("A passphrase is read as the first line of a descriptor; later lines stay unread")
  func passphraseLine() throws {
    let path = folder.file("lines")
    write(Array("correct horse\nbattery staple".utf8), to: path)
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    let id = try keyID(.passphrase(firstLineOf: descriptor))
    #expect(try keyID(.passphrase(SecretBytes("correct horse"))) == id)
    let second = try RootSecretSource.passphrase(firstLineOf: descriptor)
    #expect(refusal(second)?.code == .wrongSecret)
    #expect(code { _ = try RootSecretSource.passphrase(firstLineOf: descriptor) } == .noSecret)
  }

  @Test(
    "A descriptor without a passphrase line fails with 6003",
    arguments: ["", "\n", "\nsecond", String(repeating: "x", count: 1025)])
  func noPassphrase(text: String) {
    let path = folder.file("lines")
    write(Array(text.utf8), to: path)
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(code { _ = try RootSecretSource.passphrase(firstLineOf: descriptor) } == .noSecret)
    #expect(code { _ = try RootSecretSource.passphrase(firstLineOf: -1) } == .noSecret)
  }

  @Test("A secret of the wrong kind is refused with the kind that the store needs")
  func otherKind() throws {
    _ = try keyID(.keyFile)
    let passphrase = RootSecretSource.passphrase(try SecretBytes("horse"))
    #expect(refusal(passphrase)?.code == .wrongSecret)
    #expect(refusal(passphrase)?.message.contains("key file") == true)
    #expect(refusal(script("printf %032d 0"))?.code == .wrongSecret)
  }

  @Test("A new passphrase is stretched by scrypt with N = 2^17, r = 8, p = 1, as the store records")
  func stretching() throws {
    let source = RootSecretSource.passphrase(try SecretBytes("correct horse"))
    let id = try keyID(source)
    let header = try #require(try KeyStore.header(in: device.state("com.example.host")))
    #expect(header.scrypt == Scrypt.Parameters(cost: 1 << 17, blockSize: 8, parallelism: 1))
    #expect(try keyID(source) == id)
  }

  @Test(
    "A passphrase under 8 characters is refused when set, unless --weak-passphrase allows it",
    arguments: [("1234567", 7), ("señorªs", 7), ("12345678", 8), ("ñññññññª", 8)])
  func weakPassphrase(text: String, count: Int) throws {
    var source = try RootSecretSource.quickPassphrase(text)
    let strong = try RootSecretSource.quickPassphrase("correct horse")
    if count < 8 {
      let error = refusal(source)
      #expect(error?.code == .noSecret)
      #expect(error?.hint?.contains("--weak-passphrase") == true)
      #expect(error?.message.contains("7 characters") == true)
      #expect(access(device.storeFile, F_OK) != 0)
      _ = try keyID(strong)
      #expect(code { try device.keys(secret: strong).changeSecret(to: source) } == .noSecret)
      source.allowsWeakPassphrase = true
      try device.keys(secret: strong).changeSecret(to: source)
      source.allowsWeakPassphrase = false
    }
    let id = try keyID(source)
    #expect(try keyID(source) == id)
  }

  @Test("If the store key is missing but keys exist, no new store key is created")
  func lostStoreKey() throws {
    _ = try keyID(.keyFile)
    let page = try #require(readFile(device.storeFile))
    unlink(device.storeFile)
    let error = refusal(.keyFile)
    #expect(error?.code == .damaged)
    #expect(error?.path == device.storeFile)
    #expect(access(device.storeFile, F_OK) != 0)
    write(page, to: device.storeFile)
    #expect(refusal(.keyFile) == nil)
  }
}

extension RootSecretSource {
  /// Stretched by little, for tests of something else.
  static func quickPassphrase(_ text: String) throws -> RootSecretSource {
    var source = RootSecretSource.passphrase(try SecretBytes(text))
    source.stretching = Scrypt.Parameters(cost: 16, blockSize: 8, parallelism: 1)
    return source
  }
}
