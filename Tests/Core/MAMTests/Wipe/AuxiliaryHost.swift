import Model
import Support
import Testing

@testable import MAM

/// A host that removes only what is not in files.
final class AuxiliaryHost: Host {
  let answers: Lock<[Bool]>
  let asked = Lock(0)

  init(_ answers: [Bool]) {
    self.answers = Lock(answers)
  }

  var wipesOnlyAuxiliaryData: Bool { true }

  func wipeAuxiliaryData(of account: Account) async -> Bool {
    asked.withLock { $0 += 1 }
    return answers.withLock { $0.isEmpty ? true : $0.removeFirst() }
  }

  func wipeData(of account: Account) async -> Bool {
    Issue.record("The host was asked for the files, too.")
    return true
  }
}
