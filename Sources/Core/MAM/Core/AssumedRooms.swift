import Model
import Policy
import Support

/// The owners of the content in a question that is answered again and again. They are read once, because they do not
/// depend on a policy.
package final class KnownOwners: Sendable {
  private let known = Lock<[AccountReference?]?>(nil)

  package init() {}

  func owners(_ read: () throws(MAMError) -> [AccountReference?]) throws(MAMError) -> [AccountReference?] {
    if let owners = known.withLock({ $0 }) { return owners }
    let owners = try read()
    known.withLock { $0 = owners }
    return owners
  }
}

/// Rooms over other parts, in which a question is answered without an effect: nothing is stored or protected, and no other
/// call sees what they assume.
extension Core {
  /// The rooms by the state that the last `refresh` read. `host` is asked instead of the host of this core.
  package func roomsForAnswers(asking host: any Host, knowing owners: KnownOwners = KnownOwners()) -> any Rooms {
    rooms(over: state, asking: host, knowing: owners)
  }

  /// The rooms as if the policy of the identity in question had these settings, in the state that the last `refresh` read.
  /// `host` is asked instead of the host of this core; `nil` to ask that.
  package func rooms(
    assuming settings: AssumedSettings, about identity: EffectiveIdentity?, asking host: (any Host)? = nil,
    knowing owners: KnownOwners = KnownOwners()
  ) throws(MAMError) -> any Rooms {
    do throws(TestSettings.Fault) {
      return rooms(
        over: try state.assuming(settings, about: identity), asking: host ?? self.host, knowing: owners)
    } catch {
      throw MAMError(.invalidParams, "/assuming/\(error.member): \(error.reason)", path: "/assuming/\(error.member)")
    }
  }

  private func rooms(over state: CoreState, asking host: any Host, knowing owners: KnownOwners) -> any Rooms {
    Parts(parts.live.assuming(state), CurrentHost(host), parts.memory, known: owners)
  }
}
