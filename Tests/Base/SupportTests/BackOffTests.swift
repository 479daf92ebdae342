import Support
import Testing

@Suite struct BackOffTests {
  private func waits(_ random: Double) -> [Duration] {
    var backOff = BackOff(first: .seconds(1), longest: .seconds(5))
    return (0..<5).map { _ in backOff.next(random: random) }
  }

  @Test("BackOff doubles each wait up to the longest one, and takes a random part of its upper half")
  func doubles() {
    #expect(waits(1) == [1, 2, 4, 5, 5].map { Duration.seconds($0) })
    #expect(waits(0) == [500, 1000, 2000, 2500, 2500].map { Duration.milliseconds($0) })
  }

  @Test("BackOff keeps its longest wait after any number of waits")
  func many() {
    var backOff = BackOff()
    let last = (0..<200).map { _ in backOff.next(random: 1) }.last
    #expect(last == .seconds(60))
  }
}
