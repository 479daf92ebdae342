/// What an administrator does to the tenant: nothing changes before the next check-in.
extension LifeWalk {
  func editUser() {
    let name = anyName()
    var user = app.tenant.users[name] ?? ModelTenant.User()
    switch Int.random(in: 0..<9, using: &random) {
    case 8: user.isBlocked = !user.isBlocked && flip(2)
    case 0: user.isListed.toggle()
    case 1: user.isLicensed.toggle()
    case 2: user.isEnabled.toggle()
    case 3, 4: user.configuration = Int.random(in: 0...2, using: &random).below(app.tenant.greetings.count)
    default: user.policy = Int.random(in: 0...3, using: &random).below(app.tenant.pinLengths.count)
    }
    app.tenant.users[name] = user
    write("\(name): \(user)")
  }

  func editPolicies() {
    if flip(2) {
      app.tenant.pinLengths[Int.random(in: 0..<3, using: &random)] = Int.random(in: 4...6, using: &random)
    } else {
      app.tenant.greetings[Int.random(in: 0..<2, using: &random)] = "hello \(Int.random(in: 1...3, using: &random))"
    }
    write("\(app.tenant.pinLengths) \(app.tenant.greetings)")
  }

  func editSource() {
    app.tenant.source = flip(2) ? .good : ModelTenant.Source.allCases.randomElement(using: &random) ?? .good
    write("\(app.tenant.source)")
  }

  func editTenant() {
    if flip(3) {
      app.tenant.wipes.append(anyName())
    } else if flip(2) {
      app.tenant.mdm = flip(2) ? anyName() : nil
    } else {
      app.tenant.allowed = flip(3) ? nil : ModelTenant.names.filter { _ in flip(2) }
    }
    let wipes = "wipes \(app.tenant.wipes.count), last \(app.tenant.wipes.last ?? "")"
    write("\(wipes), managed for \(app.tenant.mdm ?? "nobody"), allowed \(app.tenant.allowed ?? ["all"])")
  }

  private func write(_ text: String) {
    app.tenant.write(to: folder)
    note(text)
  }
}

extension Int {
  /// Nil for what is not.
  fileprivate func below(_ end: Int) -> Int? { self < end ? self : nil }
}
