extension Session {
  /// Only a single request for the one method is looked at.
  func beginAdmission(_ admission: Admission, _ message: UnsafeBufferPointer<UInt8>) {
    let scanned = ScannedMessage.scan(message, limits: limits.scan)
    if case .single(.request(let call, let id)) = scanned, call.method.text(in: message) == Admission.method {
      perform(call, .alone(RequestID(id, in: message)), in: message)
    } else if scanned.isAnswered {
      send(RPCError(.notAuthenticated), to: .alone(RequestID(scanned.id, in: message)))
    }
    admission.isOpen ? admit() : countFailure(of: admission)
  }

  func countFailure(of admission: Admission) {
    admission.countFailure()
    if admission.isLost { endMessages() }
  }

  private func admit() {
    admission = nil
    decoder.maximumMessageBytes = limits.messageBytes
  }
}
