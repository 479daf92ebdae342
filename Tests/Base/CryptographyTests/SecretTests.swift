import Cryptography
import Glibc
import TestSupport
import Testing

@Suite struct SecretTests {
  @Test("A secret is created from zeros, a copy or random bytes", arguments: [0, 1, 32, 5000])
  func making(_ count: Int) throws {
    #expect(try SecretBytes(count: count).published == [UInt8](repeating: 0, count: count))
    let bytes = try Random.bytes(count)
    #expect(try SecretBytes(bytes).published == bytes)
    #expect(try SecretBytes.random(count: count).count == count)
  }

  @Test("A secret has the length that its filler returns, limited to its capacity")
  func filling() throws {
    for (said, count) in [(3, 3), (0, 0), (99, 10), (-1, 0)] {
      #expect(try SecretBytes(capacity: 10) { _ in said }.count == count)
    }
    #expect(reason { _ = try SecretBytes(count: -1) } == .wrongLength)
  }

  @Test("Secrets can exceed the secure heap and leave room for random generators of new threads")
  func exhausted() throws {
    let secrets = try (0..<5000).map { try SecretBytes([UInt8](repeating: UInt8($0 % 256), count: 32)) }
    for (index, secret) in secrets.enumerated() {
      #expect(secret.published.allSatisfy { $0 == UInt8(index % 256) })
    }
    #expect(newThreadGetsRandomBytes())
  }

  @Test("Core dumps leave out the memory of a secret, in the secure heap and outside of it", arguments: [32, 5000])
  func dumps(_ count: Int) throws {
    let secret = try SecretBytes(count: count)
    let address = secret.withRawBytes { UInt(bitPattern: $0.baseAddress) }
    let maps = String(decoding: try #require(readFile("/proc/self/smaps")), as: UTF8.self)
    let flags = try #require(Self.flags(of: address, in: maps))
    #expect(flags.contains("dd"), "\(flags)")
  }

  /// The flags of the mapping with an address, as proc_pid_smaps(5) names them.
  private static func flags(of address: UInt, in maps: String) -> [Substring]? {
    var isFound = false
    for line in maps.split(separator: "\n") {
      let words = line.split(separator: " ")
      let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2 { isFound = (ends[0]..<ends[1]).contains(address) }
      if isFound, words[0] == "VmFlags:" { return Array(words.dropFirst()) }
    }
    return nil
  }

  @Test("The description and dump of a secret show none of its bytes")
  func description() throws {
    let secret = try SecretBytes(Array("secret-1234".utf8))
    var dumped = ""
    dump(secret, to: &dumped)
    #expect("\(secret)" == "SecretBytes")
    #expect(!dumped.contains("0x"))
  }

  @Test("Secrets are equal if their bytes are equal")
  func equality() throws {
    #expect(try SecretBytes([1, 2]) == SecretBytes([1, 2]))
    #expect(try SecretBytes([1, 2]) != SecretBytes([1, 3]))
    #expect(try SecretBytes([1, 2]) != SecretBytes([1]))
    #expect(try SecretBytes([1]) != SecretBytes([1, 2]))
    #expect(constantTimeEquals([] as [UInt8], [] as [UInt8]))
  }

  @Test("Random bytes differ each time, and zero bytes can be requested")
  func random() throws {
    #expect(try Random.bytes(32) != Random.bytes(32))
    #expect(try Random.bytes(0) == [])
  }

  @Test("Nonces from batches on several threads never repeat")
  func nonces() async throws {
    let nonces = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
      for _ in 1...4 { group.addTask { try batch(1000) } }
      return try await group.reduce(into: Set()) { $0.formUnion($1) }
    }
    #expect(nonces.count == 4000)
  }

  @Test("A batch gives only as many nonces as it was created for")
  func batchEnds() throws {
    var (nonces, nonce) = (try NonceBatch(count: 2), [UInt8](repeating: 0, count: NonceBatch.nonceLength))
    for _ in 1...2 { try nonce.withUnsafeMutableBytes { try nonces.next(into: $0) } }
    #expect(throws: CryptographyError.self) { try nonce.withUnsafeMutableBytes { try nonces.next(into: $0) } }
  }

  @Test("A forked child draws different nonces than its parent")
  func fork() throws {
    _ = try SystemNonces().next()
    let child = try forked { try? SystemNonces().next() }
    #expect(child.count == NonceBatch.nonceLength)
    #expect(try child != SystemNonces().next())
  }
}

private func batch(_ count: Int) throws -> [[UInt8]] {
  var nonces = try NonceBatch(count: count)
  return try (0..<count).map { _ in
    var nonce = [UInt8](repeating: 0, count: NonceBatch.nonceLength)
    try nonce.withUnsafeMutableBytes { try nonces.next(into: $0) }
    return nonce
  }
}

extension SystemNonces {
  fileprivate func next() throws -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: NonceBatch.nonceLength)
    try nonce.withUnsafeMutableBytes { try next(into: $0) }
    return nonce
  }
}

/// Whether a thread that did nothing before gets random bytes.
private func newThreadGetsRandomBytes() -> Bool {
  var thread = pthread_t()
  let status = pthread_create(
    &thread, nil,
    { _ in
      let secret = try? SecretBytes.random(count: 32)
      return secret.flatMap { UnsafeMutableRawPointer(bitPattern: $0.count) }
    }, nil)
  guard status == 0 else { return false }
  var result: UnsafeMutableRawPointer?
  pthread_join(thread, &result)
  return result != nil
}

/// What `body` returns in a forked child.
///
/// A lock that another thread holds at that moment is held in the child for ever, such as that of OpenSSL's secure heap
/// while other tests run: such a child is ended by its alarm, and another one is made.
private func forked(_ body: () -> [UInt8]?) throws -> [UInt8] {
  for _ in 1...10 {
    let bytes = try forkedOnce(body)
    if !bytes.isEmpty { return bytes }
  }
  return []
}

private func forkedOnce(_ body: () -> [UInt8]?) throws -> [UInt8] {
  var ends: [Int32] = [-1, -1]
  try #require(pipe(&ends) == 0)
  let symbol = try #require(dlsym(nil, "fork"))
  let child = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
  if child == 0 {
    alarm(2)
    let bytes = body() ?? []
    write(ends[1], bytes, bytes.count)
    _exit(0)
  }
  close(ends[1])
  var bytes = [UInt8](repeating: 0, count: 100)
  let count = read(ends[0], &bytes, bytes.count)
  close(ends[0])
  waitpid(child, nil, 0)
  return Array(bytes.prefix(max(0, count)))
}
