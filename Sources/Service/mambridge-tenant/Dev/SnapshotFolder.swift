#if TenantService
  import CGlibc
  import Database
  import Development
  import Glibc
  import Model
  import Support
  import Tenancy
  import TenantService
  import Vault

  /// The snapshots of a development tenant, in its folder. Each is a folder with `tenant` and `store.sqlite`.
  ///
  /// A restore first makes `restoring`, whole, and then puts the parts in place, so the next start can finish one that a
  /// kill has interrupted. Of a given tenant's folder, only the files of the tenant are kept and written again.
  struct SnapshotFolder: DevelopmentSnapshots {
    private let folder: DevelopmentFolder
    private let load: @Sendable () async -> Void

    /// `load` serves what is in the folder and in the store now.
    init(_ folder: DevelopmentFolder, load: @escaping @Sendable () async -> Void) {
      (self.folder, self.load) = (folder, load)
    }

    func reload() async { await load() }

    private var root: String { folder.path + "/snapshots" }
    private var beginning: String { folder.path + "/beginning" }
    private var restoring: String { folder.path + "/restoring" }

    var names: [String] {
      get throws(ControlFailure) {
        do throws(MAMError) { return try Folder.names(root).filter { !$0.hasSuffix(".new") }.sorted() } catch {
          throw ControlFailure(storage: error.description)
        }
      }
    }

    func save(_ name: String) async throws(ControlFailure) {
      try await onDisk { () throws(ControlFailure) in
        try make(root)
        try write(to: root + "/" + name)
      }
    }

    func restore(_ name: String?) async throws(ControlFailure) -> Bool {
      let source = name.map { root + "/" + $0 } ?? beginning
      guard Folder.exists(source) else { return false }
      try await prepare(source)
      if folder.isTenantGiven {
        try await finishGiven()
      } else {
        try await onDisk { () throws(ControlFailure) in try finish() }
      }
      await reload()
      return true
    }

    func delete(_ name: String) async throws(ControlFailure) -> Bool {
      let path = root + "/" + name
      guard Folder.exists(path) else { return false }
      try await onDisk { () throws(ControlFailure) in
        // Not a half one, if the process is killed.
        try check(rename(path, path + ".new"), "delete", path)
        try remove(path + ".new")
      }
      return true
    }

    /// Keeps what this run begins with.
    func keepBeginning() throws {
      do throws(ControlFailure) { try write(to: beginning) } catch {
        throw CommandFailure(exitCode: EX_IOERR, message: error.message)
      }
    }

    /// Finishes the restore of a process that was killed.
    func finishInterrupted() throws {
      guard Folder.exists(restoring) else { return }
      do throws(ControlFailure) { try finish() } catch {
        throw CommandFailure(exitCode: EX_IOERR, message: error.message)
      }
    }
  }

  extension SnapshotFolder {
    private func write(to path: String) throws(ControlFailure) {
      let draft = path + ".new"
      try remove(draft)
      try make(draft)
      if folder.isTenantGiven {
        try make(draft + "/tenant")
        try keep(files(in: folder.tenant), in: draft + "/tenant")
      } else {
        try copy(folder.tenant, draft + "/tenant")
      }
      do throws(DatabaseError) { try SQLiteBackup.copy(folder.store, to: draft + "/store.sqlite") } catch {
        throw ControlFailure(storage: error.text)
      }
      if Folder.exists(path) {
        try check(cglibc_rename_exchange(AT_FDCWD, draft, AT_FDCWD, path), "replace", path)
        try remove(draft)
      } else {
        try check(rename(draft, path), "make", path)
      }
    }

    /// Makes `restoring` of a snapshot, which an earlier version may have written.
    private func prepare(_ source: String) async throws(ControlFailure) {
      let draft = restoring + ".new"
      try await onDisk { () throws(ControlFailure) in
        try remove(draft)
        try copy(source, draft)
      }
      do throws(DatabaseError) {
        let database = try SQLiteDatabase(path: draft + "/store.sqlite", readerCount: 1)
        do throws(DatabaseError) { try await DatabaseSchema.tenant.apply(to: database) } catch {
          await database.close()
          throw error
        }
        await database.close()
      } catch {
        throw ControlFailure(storage: error.text)
      }
      try check(rename(draft, restoring), "make", restoring)
    }

    /// Puts `restoring` in place. If that fails, everything is as before.
    private func finish() throws(ControlFailure) {
      let draft = folder.tenant + ".new"
      do throws(ControlFailure) {
        try remove(draft)
        try copy(restoring + "/tenant", draft)
        try exchange(draft)
        do throws(DatabaseError) { try SQLiteBackup.restore(folder.store, from: restoring + "/store.sqlite") } catch {
          try exchange(draft)
          throw ControlFailure(storage: error.text)
        }
      } catch {
        try? remove(restoring)
        throw error
      }
      try end()
      try remove(draft)
    }

    private func end() throws(ControlFailure) {
      try check(rename(restoring, restoring + ".new"), "remove", restoring)
      try remove(restoring + ".new")
    }

    /// The same for the folder of somebody else, where repositories, links and other files are.
    private func finishGiven() async throws(ControlFailure) {
      do throws(ControlFailure) {
        let wanted = try files(in: restoring + "/tenant")
        try await writeGiven(wanted) { () throws(ControlFailure) in
          do throws(DatabaseError) { try SQLiteBackup.restore(folder.store, from: restoring + "/store.sqlite") } catch {
            throw ControlFailure(storage: error.text)
          }
        }
      } catch {
        try? remove(restoring)
        throw error
      }
      try end()
    }

    /// If `rest` fails, the files are as before.
    private func writeGiven(
      _ wanted: TenantFileSet, rest: () throws(ControlFailure) -> Void
    ) async throws(ControlFailure) {
      let written: Result<Void, ControlFailure>
      do throws(EditedFolder.Refusal) {
        let opened = try await EditedFolder.open(folder.tenant)
        let old = try opened.read(settling: .zero, known: nil)
        guard try opened.write(wanted, over: old) else { throw .busy("The tenant's folder keeps changing.") }
        written = Result(catching: rest)
        if case .failure = written { _ = try opened.write(old, over: wanted) }
      } catch {
        switch error {
        case .busy(let reason), .unsuitable(let reason): throw ControlFailure(tenant: reason)
        }
      }
      try written.get()
    }

    private func files(in path: String) throws(ControlFailure) -> TenantFileSet {
      let content: TenantFolderWatch.Content?
      do throws(TenantError) { content = try TenantFolderWatch(path: path).read() } catch {
        throw ControlFailure(tenant: error.description)
      }
      switch content {
      case .whole(let files): return files
      case .tenantFile(_, let fault): throw ControlFailure(tenant: fault.description)
      case nil: throw ControlFailure(tenant: "The tenant's folder changes at the moment. Try again.")
      }
    }

    private func keep(_ files: TenantFileSet, in path: String) throws(ControlFailure) {
      let writer = TenantWriter(path: path)
      for (name, text) in files.texts {
        do throws(TenantWriteError) { try writer.write(Array(text.utf8), to: name) } catch {
          throw ControlFailure(storage: error.description)
        }
      }
    }

    private func exchange(_ draft: String) throws(ControlFailure) {
      guard Folder.exists(folder.tenant) else { return try check(rename(draft, folder.tenant), "make", folder.tenant) }
      try check(cglibc_rename_exchange(AT_FDCWD, draft, AT_FDCWD, folder.tenant), "replace", folder.tenant)
    }

    private func copy(_ source: String, _ target: String) throws(ControlFailure) {
      do throws(FolderCopy.Failure) { try FolderCopy.make(of: source, at: target) } catch {
        throw ControlFailure(storage: "Cannot copy \(error.path): \(error.error.text).")
      }
    }

    private func make(_ path: String) throws(ControlFailure) {
      guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
      try check(-1, "make", path)
    }

    private func remove(_ path: String) throws(ControlFailure) {
      do throws(MAMError) { try Folder.remove(path) } catch { throw ControlFailure(storage: error.description) }
    }

    private func check(_ result: Int32, _ action: String, _ path: String) throws(ControlFailure) {
      guard result != 0 else { return }
      throw ControlFailure(storage: "Cannot \(action) \(path): \(SystemError.current.text).")
    }

    /// Off the threads that answer requests.
    private func onDisk(_ body: @escaping @Sendable () throws(ControlFailure) -> Void) async throws(ControlFailure) {
      let task = Task(executorPreference: BlockingExecutor.shared) { () -> Result<Void, ControlFailure> in
        do throws(ControlFailure) { return .success(try body()) } catch { return .failure(error) }
      }
      try await task.value.get()
    }
  }
#endif
