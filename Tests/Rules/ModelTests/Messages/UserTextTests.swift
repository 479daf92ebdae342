import Testing

@testable import Model

@Suite struct UserTextTests {
  private static let notice = UserNotice(.alert(.warningTitle), .version(.appWarning), "2.0")

  @Test("A text of several messages is composed in each language, with the details filled in")
  func languages() {
    let rules = UserText(.pin(.setError)).followed(by: UserText(.pin(.lengthRequired), "6"))
    #expect(rules.text(in: .english) == "This PIN cannot be used. The PIN must have at least 6 characters.")
    #expect(rules.text(in: .portuguese) == "Este PIN não pode ser usado. O PIN precisa ter pelo menos 6 caracteres.")
    #expect(rules.text(in: .japanese) == "この PIN は使用できません。PIN は 6 文字以上にする必要があります。")
    #expect(rules.particular == .pin(.lengthRequired))
  }

  @Test("A stored text reads back the same in every language")
  func stored() throws {
    let lines = UserText(lines: [
      Self.notice.updating(at: "https://store.example/?a=\"b\"#c\n").message, UserText(.device(.threat)),
    ])
    let read = try #require(UserText(stored: lines.stored))
    #expect(read == lines)
    for language in Language.allCases {
      #expect(read.text(in: language) == lines.text(in: language))
      #expect(read.text(in: language).contains("https://store.example/?a=\"b\"#c"))
    }
  }

  @Test(
    "Text that was not stored as a message is not read as one",
    arguments: [
      "", "[]", "[[]]", "[[[]]]", "Sign in.", #"[[["Unheard_Of"]]]"#, #"[["Enter_Pin_Error"]]"#, "{}", "[[[1]]]",
    ])
  func strange(_ text: String) {
    #expect(UserText(stored: text) == nil)
  }

  @Test("An update notice says where to get the update if the administrator configured a store")
  func update() {
    let plain = Self.notice.message
    #expect(Self.notice.updating(at: nil) == Self.notice)
    let inPortal = plain.followed(by: UserText(.version(.updateInPortal)))
    #expect(Self.notice.updating(at: "companyPortal").message == inPortal)
    let italian = Self.notice.updating(at: "https://store.example/app").message.text(in: .italian)
    #expect(italian.contains("(2.0)"))
    #expect(italian.hasSuffix("Trovi l'aggiornamento qui: https://store.example/app"))
  }
}
