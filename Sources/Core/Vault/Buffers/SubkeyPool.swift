import Support

/// Ready sealers and subkeys that are not in use, so that many threads can seal and open without waiting for each
/// other. All are dropped when keys change.
final class SubkeyPool: Sendable {
  private struct State {
    var generation: UInt64 = 0
    var sealers: [BufferSealer] = []
    var subkeys: [SubkeyName: BufferSubkey] = [:]
  }

  /// The limit for each kind; an element takes about a kilobyte. A full pool is emptied, which is rare because owners
  /// are few.
  private static let maximum = 64
  private let state = Lock(State())

  func takeSealer(for owner: DataOwner, _ name: KeyName, _ generation: UInt64) -> BufferSealer? {
    take(generation) { state in
      let index = state.sealers.lastIndex { $0.canSeal(for: owner, name) }
      return index.map { state.sealers.remove(at: $0) }
    }
  }

  func takeSubkey(_ name: SubkeyName, _ generation: UInt64) -> BufferSubkey? {
    take(generation) { $0.subkeys.removeValue(forKey: name) }
  }

  func give(_ sealer: BufferSealer, _ generation: UInt64) {
    give(generation) { state in
      if state.sealers.count >= Self.maximum { state.sealers.removeAll() }
      state.sealers.append(sealer)
    }
  }

  func give(_ subkey: BufferSubkey, _ generation: UInt64) {
    give(generation) { state in
      if state.subkeys.count >= Self.maximum { state.subkeys.removeAll() }
      state.subkeys[subkey.name] = subkey
    }
  }

  /// Drops all elements of other generations.
  func forget(_ generation: UInt64) {
    take(generation) { _ in }
  }

  private func take<Taken: Sendable>(_ generation: UInt64, _ body: (inout State) -> Taken) -> Taken {
    state.withLock { state in
      if state.generation != generation { state = State(generation: generation) }
      return body(&state)
    }
  }

  /// Does nothing if keys have changed since `generation` was read.
  private func give(_ generation: UInt64, _ body: (inout State) -> Void) {
    state.withLock { state in
      guard state.generation == generation else { return }
      body(&state)
    }
  }
}
