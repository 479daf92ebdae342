import Bridge
import MAM
import Support

/// A server that joins a sandbox.
extension CoreArguments {
  /// Joins the sandbox that a variable names. Throws exit code 78 if an option or another variable leads elsewhere: the
  /// server would not see what the test does, and the test would not see what the server does.
  func joinSandbox(_ folder: StateFolder) throws {
    guard let root = Variable.sandbox.value else { return }
    let sandbox = JoinedSandbox(root: root)
    guard sandbox.exists else {
      throw CommandFailure(
        exitCode: 78,
        message: "\(Variable.sandbox.rawValue): the sandbox in \(root.shown) has ended, or is another user's. Start "
          + "the program while the sandbox runs, or without the variables of its environment")
    }
    if let name = try optionElsewhere(sandbox, folder) {
      throw CommandFailure(
        exitCode: 78,
        message: "\(name): this server is to join a sandbox, as \(Variable.sandbox.rawValue) says; leave out --state, "
          + "--tenant, --clock and --app-id in the test, and pass on all variables of the sandbox's environment")
    }
    sandbox.join()
  }

  /// The option or variable that leads elsewhere; `nil` if none does.
  private func optionElsewhere(_ sandbox: JoinedSandbox, _ folder: StateFolder) throws -> String? {
    if folder.root != sandbox.state { return state == nil ? Variable.state.rawValue : "--state" }
    if (tenant ?? Variable.tenant.value)?.absolutePath != sandbox.tenant {
      return tenant == nil ? Variable.tenant.rawValue : "--tenant"
    }
    if clock != nil { return "--clock" }
    if case .system = try ClockChoice.ofVariable() { return Variable.clock.rawValue }
    return appId == nil || appId == Variable.appId.value ? nil : "--app-id"
  }
}
