import BridgeAPI
import JSON
import JSONRPC
import MAM
import Support

extension SessionHost {
  /// Unavailable when nobody has declared the request, and when the answer is none or a wrong one; the log says so.
  func ask<R: HostRequest>(_ request: R.Type, _ params: R.Params) async -> HostAnswer<R.Result> {
    let start = ContinuousClock.now
    let answer = await answer(request, params)
    let duration = ContinuousClock.now - start
    trace { "asked the host \(public: R.name): \(public: answer.summary) in \(duration)" }
    return answer
  }

  private func answer<R: HostRequest>(_ request: R.Type, _ params: R.Params) async -> HostAnswer<R.Result> {
    guard let peer = registry.peer(answering: R.name, askedBy: BridgeConnection.current) else { return .unavailable }
    switch await peer.ask(R.name, params: params.jsonBytes, timeout: timeout) {
    case .result(let text): return read(text, of: request)
    case .failure(let code, _) where code == APIError.canceled.code: return .canceled
    case .failure(let code, _):
      // The host asks nobody when it must not; that is no fault of it.
      if !R.errors.contains(where: { $0.code == code }) {
        warn("\(public: R.name): the host answered with error \(code); the default holds")
      }
    case .unanswered: warn("\(public: R.name): the host did not answer; the default holds")
    }
    return .unavailable
  }

  /// The log gets a place and a type, never what the host has written, which may be a secret.
  private func read<R: HostRequest>(_ text: ClearedBytes, of request: R.Type) -> HostAnswer<R.Result> {
    do {
      return .value(
        try text.withBytes { try R.Result.decode(JSONDocument(scanned: UnsafeRawBufferPointer($0)).root) })
    } catch let error as JSONDecodingError {
      warn("\(public: R.name): the host's answer is wrong: \(public: error.faultOfHost); the default holds")
    } catch {
      warn("\(public: R.name): the host's answer cannot be read; the default holds")
    }
    return .unavailable
  }
}

extension JSONDecodingError {
  fileprivate var faultOfHost: String { reason == .unknown ? "it has a member that is not declared" : message }
}

extension HostAnswer where Value: FieldValue {
  /// For the log: truths and words are shown, of an object only the names of its members, which may hold a secret.
  fileprivate var summary: String {
    switch self {
    case .canceled: "canceled"
    case .unavailable: "no answer, the default applies"
    case .value(let value):
      switch value.jsonValue {
      case .object(let object):
        "answered with " + object.members.filter { !$0.value.isNull }.map(\.name).joined(separator: ", ")
      case let answer: answer.jsonText
      }
    }
  }
}
