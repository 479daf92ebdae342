import Support
import Tenancy

/// The tenant that is served at the moment, and what is wrong with its source.
package final class ServedTenant: Sendable {
  private struct State {
    var edition: TenantEdition?
    /// What is wrong with the folder, and with the version in the store.
    var folderProblem: String?
    var storeProblem: String?
    /// Counts the readings of the store, so that one that was overtaken by another changes nothing.
    var begun = 0
    var applied = 0
    /// The edition that the log has named last.
    var announced: (generation: Int64, published: Timestamp)?
    var listeners: [@Sendable () -> Void] = []
  }

  private let store: TenantStore
  let limit: RemovalLimit?
  /// Whoever reads a folder and publishes what it has takes turns, so that what was read last is published last.
  let turn = EditTurn()
  private let state = Lock(State())

  /// `limit` says how much may be missing from a version of the folder before it is held back; with `nil`, all of it may.
  package init(_ store: TenantStore, limit: RemovalLimit? = RemovalLimit()) {
    self.store = store
    self.limit = limit
  }

  /// `nil` as long as nothing could be read.
  package var edition: TenantEdition? { state.withLock { $0.edition } }

  /// Why the tenant cannot be read; `nil` if it can.
  package var problem: String? { state.withLock { $0.folderProblem ?? $0.storeProblem } }

  /// Calls the body after each change of the edition. It must not block.
  func listen(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(body) } }

  /// Takes over the stored version if it is another one. Throws, and serves the last good one on, if it cannot be read.
  package func update() async throws(PublicationFailure) {
    let (known, number) = state.withLock { state in
      state.begun += 1
      return (state.edition, state.begun)
    }
    let edition: TenantEdition?
    do throws(PublicationFailure) {
      edition = try await store.edition(otherThan: known)
    } catch {
      if case .tenant = error { state.withLock { $0.storeProblem = error.description } }
      throw error
    }
    let listeners = state.withLock { state -> [@Sendable () -> Void] in
      guard number > state.applied else { return [] }
      state.applied = number
      state.storeProblem = nil
      guard let edition else { return [] }
      state.edition = edition
      return state.listeners
    }
    if edition != nil { HeapMemory.releaseSoon() }
    for listener in listeners { listener() }
  }

  /// Publishes what a folder has, if it has changed. Returns lines for the log; none if they would say nothing new.
  package func follow(_ folder: TenantFolderWatch, at time: Timestamp) async -> [String] {
    await turn.take { await followNow(folder, at: time) }
  }

  private func followNow(_ folder: TenantFolderWatch, at time: Timestamp) async -> [String] {
    let before = edition?.generation
    let content: TenantFolderWatch.Content
    do throws(PublicationFailure) {
      guard let found = try Self.read(folder) else { return [] }
      content = found
      // Reading a large tenant takes several times the memory that it needs then.
      defer { HeapMemory.releaseSoon() }
      try await publish(content, of: folder, at: time)
    } catch {
      return lines(about: error.trouble, before == nil ? "Nothing is served." : "The last good tenant is served.")
    }
    if case .tenantFile(_, let fault) = content {
      let served = "The last good policies are served, with the users and operations of the new tenant.json."
      return lines(about: PublicationFailure.tenant(fault).trouble, served) + [announcement()].compactMap { $0 }
    }
    let isOver = change(folderProblem: nil) != nil
    guard let edition, isOver || edition.generation != before else { return [] }
    return [announcement(again: isOver)].compactMap { $0 } + edition.tenant.fileFindings.lines
  }

  private func publish(
    _ content: TenantFolderWatch.Content, of folder: TenantFolderWatch, at time: Timestamp
  ) async throws(PublicationFailure) {
    do throws(PublicationFailure) {
      switch content {
      case .whole(let files): try await store.publish(files, by: Operation.folder, at: time, limit: limit)
      case .tenantFile(let text, let fault):
        try await store.publish(tenantFile: text, policyFault: fault, by: Operation.folder, at: time, limit: limit)
      }
      try await update()
    } catch {
      if case .database = error { folder.readAgain() }
      throw error
    }
  }

  /// Nothing if the problem is known.
  private func lines(about problem: String, _ served: String) -> [String] {
    change(folderProblem: problem) == problem ? [] : ["\(problem) \(served)"]
  }

  /// A line for the log about the edition; `nil` if the last one was about the same edition, unless `again`.
  func announcement(again: Bool = false) -> String? {
    state.withLock { state in
      guard let edition = state.edition else { return nil }
      let isKnown = state.announced.map { $0 == (edition.generation, edition.published) } ?? false
      state.announced = (edition.generation, edition.published)
      return isKnown && !again ? nil : edition.announcement
    }
  }

  /// Returns the problem before.
  private func change(folderProblem: String?) -> String? {
    state.withLock { state in
      defer { state.folderProblem = folderProblem }
      return state.folderProblem
    }
  }

  private static func read(_ folder: TenantFolderWatch) throws(PublicationFailure) -> TenantFolderWatch.Content? {
    do throws(TenantError) { return try folder.read() } catch { throw .tenant(error) }
  }
}

extension [TenantFinding] {
  private static let mostLines = 100

  /// For the log, as `mambridge-tenant publish` prints them.
  fileprivate var lines: [String] {
    let rest = count - Self.mostLines
    return prefix(Self.mostLines).map { "\($0.kind.rawValue): \($0.line)" }
      + (rest > 0 ? ["\(rest) more findings; mambridge tenant check names them"] : [])
  }
}

extension PublicationFailure {
  /// A sentence about a folder that cannot be published.
  fileprivate var trouble: String {
    let text =
      switch self {
      case .tenant, .outdated, .edited: "cannot use the tenant's folder: \(description)"
      case .database: "cannot store the tenant of the folder: \(description)"
      }
    return text.hasSuffix(".") ? text : text + "."
  }
}
