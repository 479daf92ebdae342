#if TenantService
  import Glibc
  import NIOSSL
  import Support

  /// The certificate of a server and its private key, which are read again when their files change.
  package final class ServerCertificate: Sendable {
    private struct Loaded {
      let context: NIOSSLContext
      let validUntil: Timestamp
    }

    private struct State {
      var loaded: Loaded
      /// What the files were when they were read.
      var stamps: [FileStamp?]
    }

    /// Identifies the content of a file; differs after a write or a replacement.
    private struct FileStamp: Equatable {
      let device: UInt
      let inode: UInt
      let size: Int
      let seconds: Int
      let nanoseconds: Int

      /// Follows links: certbot and Kubernetes exchange those. `nil` if there is no file.
      init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      }
    }

    private let certificatePath: String
    private let keyPath: String
    private let state: Lock<State>

    /// Both files are PEM. The certificates of authorities in between follow the server's own.
    package init(certificatePath: String, keyPath: String) throws(NetworkError) {
      (self.certificatePath, self.keyPath) = (certificatePath, keyPath)
      let stamps = [certificatePath, keyPath].map(FileStamp.init)
      state = Lock(State(loaded: try Self.load(certificatePath, keyPath), stamps: stamps))
    }

    /// For the next connection.
    var context: NIOSSLContext { state.withLock { $0.loaded.context } }

    /// When the certificate expires.
    package var validUntil: Timestamp { state.withLock { $0.loaded.validUntil } }

    /// Reads the files if they have changed. Returns whether there is another certificate now. A pair that cannot be used
    /// changes nothing, and is not tried again until a file changes.
    package func reloadIfChanged() throws(NetworkError) -> Bool {
      let stamps = [certificatePath, keyPath].map(FileStamp.init)
      let isChanged = state.withLock { state in
        defer { state.stamps = stamps }
        return state.stamps != stamps
      }
      guard isChanged else { return false }
      let loaded = try Self.load(certificatePath, keyPath)
      state.withLock { $0.loaded = loaded }
      return true
    }

    private static func load(_ certificatePath: String, _ keyPath: String) throws(NetworkError) -> Loaded {
      let (chain, end) = try certificates(in: certificatePath)
      let key = try privateKey(in: keyPath)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      do {
        return Loaded(context: try NIOSSLContext(configuration: configuration), validUntil: end)
      } catch {
        throw NetworkError(
          .configuration, "The private key in \(keyPath) does not belong to the certificate in \(certificatePath).")
      }
    }

    private static func certificates(in path: String) throws(NetworkError) -> (
      chain: [NIOSSLCertificate], end: Timestamp
    ) {
      let bytes = try read(path)
      guard let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), let own = chain.first else {
        throw NetworkError(.configuration, "\(path) holds no certificate in PEM form (BEGIN CERTIFICATE).")
      }
      return (chain, Timestamp(milliseconds: Int64(own.notValidAfter) * 1000))
    }

    private static func privateKey(in path: String) throws(NetworkError) -> NIOSSLPrivateKey {
      var bytes = try read(path)
      defer { bytes.clear() }
      guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
        throw NetworkError(
          .configuration, "\(path) holds no private key in PEM form (BEGIN PRIVATE KEY) without a passphrase.")
      }
      return key
    }

    private static func read(_ path: String) throws(NetworkError) -> [UInt8] {
      do {
        return try FileContents.read(path)
      } catch {
        throw NetworkError(.configuration, "Cannot read \(path): \(error.text).")
      }
    }
  }
#endif
