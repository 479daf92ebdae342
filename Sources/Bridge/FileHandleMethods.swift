import BridgeAPI
import JSON
import JSONRPC
import MAM
import Support

extension MethodTable.Declarations {
  mutating func addFileHandles() {
    addFileOpening()
    addFileTransfer()
    handle(SeekFile.self) { params, file throws(MAMError) in
      try file.seek(to: UInt64(params.offset.value))
      return Nothing()
    }
    handle(TellFile.self) { _, file throws(MAMError) in FileOffset(counting: try file.tell()) }
    handle(TruncateFile.self) { params, file throws(MAMError) in
      try file.truncate(to: UInt64(params.length.value))
      return Nothing()
    }
    handle(SizeOfFile.self) { _, file throws(MAMError) in FileOffset(counting: try file.size()) }
    handle(SyncFile.self) { _, file throws(MAMError) in
      try file.sync(dataOnly: false)
      return Nothing()
    }
    handle(SyncFileData.self) { _, file throws(MAMError) in
      try file.sync(dataOnly: true)
      return Nothing()
    }
    handle(IsFileHandleEncrypted.self) { _, file throws(MAMError) in try file.isEncrypted() }
    handle(ProtectionInfoOfFile.self) { _, file throws(MAMError) in try file.protectionInfo() }
    handleNumber(CloseFile.self) { params, connection throws(MAMError) in
      try connection.files.remove(params.handle).close()
      return Nothing()
    }
  }

  private mutating func addFileOpening() {
    work(asking: OpenFileAtPath.self) { asked, core, connection throws(MAMError) in
      let params = asked.params
      try connection.files.checkRoom(params.path.text)
      return try connection.files.opened(core.openFile(params.path, params.flags, for: asked.account))
    }
    work(asking: CreateFileAtPath.self) { asked, core, connection throws(MAMError) in
      let params = asked.params
      try connection.files.checkRoom(params.path.text)
      return try connection.files.opened(
        core.openFile(params.path, params.flags, mode: UInt32(params.mode.value), for: asked.account))
    }
  }

  private mutating func addFileTransfer() {
    handle(ReadFile.self) { params, file throws(MAMError) in
      try checkMemory(for: params.count)
      return Base64Bytes(try file.read(Int(params.count.value)))
    }
    handle(ReadFileAtOffset.self) { params, file throws(MAMError) in
      try checkMemory(for: params.count)
      return Base64Bytes(try file.read(Int(params.count.value), at: UInt64(params.offset.value)))
    }
    handle(WriteFile.self) { params, file throws(MAMError) in
      try file.write(params.data.bytes)
      return FileByteCount(known: Int64(params.data.bytes.count))
    }
    handle(WriteFileAtOffset.self) { params, file throws(MAMError) in
      try file.write(params.data.bytes, at: UInt64(params.offset.value))
      return FileByteCount(known: Int64(params.data.bytes.count))
    }
  }

  /// A method of an open file; those of one handle run one after the other.
  private mutating func handle<M: FileHandleMethod>(
    _ method: M.Type, _ body: @escaping @Sendable (M.Params, FileHandle) throws(MAMError) -> M.Result
  ) {
    handleNumber(method) { params, connection throws(MAMError) in
      try connection.core.refresh()
      try connection.core.state.checkPolicyIsThere()
      return try body(params, connection.files.handle(params.handle))
    }
  }

  private mutating func handleNumber<M: FileHandleMethod>(
    _ method: M.Type, _ body: @escaping @Sendable (M.Params, BridgeConnection) throws(MAMError) -> M.Result
  ) {
    work(method, queue: { "file \($0.handle.value)" }) { params, _, connection throws(MAMError) in
      try body(params, connection)
    }
  }
}

/// The bytes, their base64, and what is on its way to the host: known before anything is read, and the position moved.
private func checkMemory(for count: FileByteCount) throws(MAMError) {
  guard HeapMemory.hasRoom(forBytes: 4 * Int(count.value)) else {
    throw MAMError(
      .outOfMemory, "the system is out of memory for \(count.value) bytes", hint: "Read fewer bytes at a time")
  }
}

extension FileHandles {
  fileprivate func opened(_ file: FileHandle) throws(MAMError) -> OpenedFile {
    let (size, isEncrypted) = (FileOffset(counting: try file.size()), try file.isEncrypted())
    return OpenedFile(handle: try add(file), size: size, isEncrypted: isEncrypted)
  }
}

extension FileOffset {
  /// What is beyond 2^53 counts as that: no such file can be read by its offsets.
  fileprivate init(counting count: UInt64) {
    self.init(integerLiteral: Int64(clamping: count))
  }
}
