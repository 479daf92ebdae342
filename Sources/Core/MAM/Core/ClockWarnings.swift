import Model
import Policy
import Support

/// What a person should know about the clock of the machine.
extension LiveState {
  /// Why the times of the state are ahead of the machine's clock, and the way out; `nil` if they are not.
  var clockWarning: String? {
    let clock = configuration.clock.now
    guard manualClock == nil, time.lead(over: clock) >= StateTime.tolerance else { return nil }
    let lead = ISODuration(seconds: time.lead(over: clock) / 1000).spoken
    return """
      The state has already seen \(now), but the clock of this machine says \(clock), which is \(lead) earlier. Set the \
      clock if it is wrong. If it is right, the state was used while the clock was ahead: its times stay ahead, and what \
      came due early stays due. To correct the times, unenroll the accounts and enroll them in a new state folder (--state).
      """
  }
}

extension DiagnosticsLog {
  /// Logs by how many milliseconds the machine's clock was set; nothing for 0.
  func warn(ofJump jump: Int64) {
    guard jump != 0 else { return }
    let length = ISODuration(seconds: Int64(clamping: jump.magnitude / 1000)).spoken
    if jump > 0 {
      write(
        .warning, .server,
        """
        the clock of this machine jumped forward by \(public: length). Blocks and sign-ins come due by the new time; the \
        jump itself removes no data
        """)
    } else {
      write(
        .warning, .server,
        "the clock of this machine was set back by \(public: length). The time of the state goes on from where it was")
    }
  }
}
