import Model
import Testing

@testable import MAM

@Suite struct LaunchSessionTests {
  @Test("An accepted warning is accepted for that account alone, and no other warning is")
  func warnings() {
    let session = LaunchSession()
    let (warning, other) = (UserText(.account(.signInFailed)), UserText(.account(.signInOtherUser)))
    session.accept(warning, of: .user("alice"))
    #expect(session.hasAccepted(warning, of: .user("ALICE")))
    #expect(!session.hasAccepted(warning, of: .user("frank")))
    #expect(!session.hasAccepted(other, of: .user("alice")))
  }
}
