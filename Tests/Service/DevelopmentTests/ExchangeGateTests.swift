import Support
import TestSupport
import Testing

@testable import Development

@Suite struct ExchangeGateTests {
  private let gate = ExchangeGate()
  private let steps = Lock<[String]>([])

  private func note(_ step: String) { steps.withLock { $0.append(step) } }

  private func request(_ name: String, while isHeld: @escaping @Sendable () -> Bool = { false }) {
    Task {
      await gate.pass {
        note("\(name) begins")
        _ = await eventually { !isHeld() }
        note("\(name) ends")
      }
    }
  }

  @Test("An exchange waits for the requests before it, and requests after it wait for the exchange")
  func order() async {
    let isHeld = Lock(true)
    request("first") { isHeld.withLock { $0 } }
    await expectEventually(["first begins"], within: .soon) { steps.withLock { $0 } }
    Task {
      await gate.exchange {
        note("exchange begins")
        request("second")
        try? await Task.sleep(for: .milliseconds(50))
        note("exchange ends")
      }
    }
    try? await Task.sleep(for: .milliseconds(50))
    #expect(steps.withLock { $0 } == ["first begins"])
    isHeld.withLock { $0 = false }
    let expected = [
      "first begins", "first ends", "exchange begins", "exchange ends", "second begins", "second ends",
    ]
    await expectEventually(expected, within: .soon) { steps.withLock { $0 } }
  }

  @Test("Requests pass at the same time while nothing is exchanged")
  func together() async {
    let isHeld = Lock(true)
    for name in ["first", "second"] { request(name) { isHeld.withLock { $0 } } }
    await expectEventually(["first begins", "second begins"], within: .soon) { steps.withLock { $0.sorted() } }
    isHeld.withLock { $0 = false }
  }
}
