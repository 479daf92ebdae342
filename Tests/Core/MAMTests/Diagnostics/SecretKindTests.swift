import Glibc
import Testing

@testable import MAM

/// Examples of every kind of text that an export replaces: texts with the part that must not stay, and near misses that
/// must stay as they are.
struct SecretExamples: Sendable {
  var hidden: [(text: String, secret: String)]
  var kept: [String]

  static let all: [SecretKind: SecretExamples] = [
    .person: SecretExamples(
      hidden: [("by eve@home.example", "eve"), ("https://eve:pw@home.example/", "eve"), ("x=a%40b.example", "a%40b")],
      kept: ["3 @ 5 euros", "evening"]),
    .identifier: SecretExamples(
      hidden: [("id 87d349ed-44d7-43e1-9a83-5f2406dee5bd", "87d349ed")],
      kept: ["87d349ed-44d7", "87d349ed", "12345678-1234"]),
    .password: SecretExamples(
      hidden: [
        ("Kennwort: geheim", "geheim"), ("Kennwort lautet geheim1", "geheim1"), ("Benutzerkennwort=geheim", "geheim"),
        ("KENNWORT geheim1", "geheim1"), ("Passwort geheim1", "geheim1"), ("contraseña: hunter", "hunter"),
        ("CONTRASEÑA: hunter", "hunter"), ("contrasen\u{303}a: hunter", "hunter"),
        ("la contraseña es hunter2", "hunter2"),
        ("senha: segredo", "segredo"), ("senha é segredo1", "segredo1"), ("palavra-passe: segredo", "segredo"),
        ("parola d'ordine: segreto", "segreto"), ("parola d’ordine: segreto", "segreto"),
        ("la parola d'ordine è segreto1", "segreto1"), ("şifre: gizli", "gizli"), ("ŞİFRE: gizli", "gizli"),
        ("Şifreniz 4711a", "4711a"), ("mot de passe : secret", "secret :"), ("mot de passe: hunter", "hunter"),
        ("mot de passe 47a11", "47a11"), ("mot-de-passe=hunter", "hunter"), ("パスワード：ひみつ", "ひみつ"),
        ("パスワード: hunter", "hunter"), ("パスワードはhunter2です", "hunter2"), ("暗証番号は1234です", "1234"),
        ("暗証番号：１２３４", "１２３４"), ("暗証番号 1234", "1234"), ("пароль: hunter", "hunter"),
        ("password \"correct horse battery\"", "horse"), ("password='correct horse'", "horse"),
        (#"{"password": "correct \"horse\" battery"}"#, "battery"), (#"{\"password\": \"correct horse\"}"#, "horse"),
        ("api_key=hunter", "hunter"), ("PIN 2580", "2580"),
      ],
      kept: [
        "Kennwort ist erforderlich", "la contraseña no es correcta", "mot de passe oublié", "パスワードが必要です",
        "senha incorreta", "the PIN is required", "passes 3 tests",
      ]),
    .token: SecretExamples(
      hidden: [("got Z3JlZW4gZWdncyBhbmQgaGFtIDEyMzQ1Njc4OQ", "Z3JlZW4")],
      kept: ["enrollmentManager.registerAndEnrollAccount", "0123456789abcdef"]),
    .urlParameter: SecretExamples(
      hidden: [
        ("https://x.example/a?sv=2020&sig=abc%2Bdef", "abc"), ("https://x.example/a?code=M.R3_BAY", "R3_BAY"),
        ("https://x.example/a?X-Amz-Signature=beef", "beef"), ("https://x.example/#access_token=abc&x=1", "abc"),
        ("https://x.example/?key=abc", "abc"), ("msauth.app://auth?code=abc&state=x", "abc"),
        ("callback?code=abc&x=1", "abc"), ("see https://x/?u=https%3A%2F%2Fy%2F%3Fsig%3Dabc", "abc"),
      ],
      kept: ["https://x.example/a/b?page=2&lang=de", "https://x.example/tokens", "code=206"]),
    .oneTimeCode: SecretExamples(
      hidden: [
        ("your code is 123456", "123456"), ("code: 123 456", "456"), ("OTP 4711", "4711"), ("otp=471100", "471100"),
        ("verification code: 4711", "4711"), ("G-123456", "123456"), ("123456 is your code", "123456"),
        ("Bestätigungscode lautet 123456", "123456"), ("código de verificación: 123456", "123456"),
        ("確認コード：123456", "123456"), ("TAN 123456", "123456"), ("verification_code 12345678", "12345678"),
      ],
      kept: [
        "error code 123456", "status code 206", "code -32602", "code 5001", "exit code 78", "errorCode: 123456",
        "code 0x80070005", "123456 bytes", "the titan 123456",
      ]),
    .path: SecretExamples(
      hidden: [
        ("docs/plan.txt", "plan"), ("in Documents/Taxes", "Taxes"), ("../secret", "secret"), ("./plan", "plan"),
        ("wrote a/b/plan", "plan"), (#"saved docs\plan.docx"#, "plan"), ("file=docs/plan.txt", "plan"),
        ("Documents/My plan.docx", "plan"), ("path=/home/al/My plan.txt", "plan"),
        ("docs/plan.txt: is missing", "plan"),
        ("(~/x)", "~/x"),
      ],
      kept: [
        "and/or 1/2", "12/31/2025", "application/json", "text/html", "HTTP/1.1", "mambridge/0.1.0", "iOS/17.2",
        "Europe/Berlin", "tenant.json: users/0/age is not known", "TCP/IP", "example.txt",
      ]),
    .phoneNumber: SecretExamples(
      hidden: [
        ("call +49 30 1234567", "1234567"), ("+1 (555) 123-4567", "4567"), ("tel:+493012345678", "12345678"),
        ("0049 30 1234567", "1234567"), ("030 1234567", "1234567"), ("(030) 123 45 67", "45"),
        ("0171-2345678", "2345678"),
        ("01 23 45 67 89", "67"), ("555-123-4567", "4567"), ("(555) 123-4567", "4567"), ("1-800-555-1234", "1234"),
        ("phone: 555 1234", "1234"), ("Telefon 12345", "12345"), ("電話03-1234-5678", "5678"), ("01712345678", "2345678"),
        ("x?to=%2B493012345678", "3012345678"),
      ],
      kept: [
        "2026-02-02 02:40:00", "02-02-2026 10:20:30", "02:40:00.000", "+0100", "UTC+2", "version 030 123 4567",
        "error -25300", "1769851800000", "0.1.0", "12 345 678 bytes", "2147942402", "+12 lines",
        "2026-02-02T02:40:00.000Z",
      ]),
    .networkAddress: SecretExamples(
      hidden: [
        ("from 203.0.113.7", "203.0"), ("tcp://203.0.113.7:8080", "203.0"), ("https://203.0.113.7/a?x=1", "203.0"),
        ("host=203.0.113.7,", "203.0"), ("2001:db8::1", "db8"), ("[2001:db8::1]:443", "db8"), ("fe80::1%eth0", "fe80"),
        ("2001:db8:0:0:0:0:0:1", "db8"), ("::ffff:203.0.113.7", "203"), ("fe80::1: is gone", "fe80"),
        ("2001:db8::", "db8"),
        ("10.0.0.8/24", "10.0"),
      ],
      kept: [
        "1.2.3", "version 1.2.3.4", "v1.2.3.4", "sdk 19.2.0.1", "10.0.19045.1", "1.2.3.4.5", "12:30:45", "127.0.0.1",
        "::1",
        "tcp://127.0.0.1:80", "0.0.0.0", "std::vector", "::",
      ]),
    .hardwareAddress: SecretExamples(
      hidden: [("00:1A:2b:3c:4d:5e", "1A"), ("00-1a-2b-3c-4d-5e", "1a")],
      kept: ["00:1a:2b", "12:30:45", "00:1a-2b:3c:4d:5e"]),
    .iban: SecretExamples(
      hidden: [
        ("DE89 3704 0044 0532 0130 00", "0532"), ("DE89370400440532013000", "3704"),
        ("gb29nwbk60161331926819 ok", "nwbk"),
        ("IBAN: FR14 2004 1010 0505 0001 3M02 606 is mine", "606"),
      ],
      kept: ["GB28NWBK60161331926819", "DE89 3704", "ab12"]),
    .cardNumber: SecretExamples(
      hidden: [
        ("4111 1111 1111 1111", "1111"), ("4111111111111111", "4111"), ("card-4111-1111-1111-1111", "1111"),
        ("3782 822463 10005", "822463"), ("paid with 5555555555554444.", "5555"),
      ],
      kept: ["4111 1111 1111 1112", "4111111111111112", "1769851800000000", "41111111111111111111111"]),
  ]
}

@Suite(.timeLimit(.minutes(5))) struct SecretKindTests {
  private static let salt: [UInt8] = Array(0..<16)
  private static let scrubber = ExportScrubber(
    scrubber: LogScrubber(pseudonyms: Pseudonyms(salt: salt), keys: []), names: KnownNames([]),
    pseudonyms: Pseudonyms(salt: salt),
    keeping: [])

  @Test(
    "An export replaces secrets of every kind and leaves similar harmless text unchanged",
    arguments: SecretKind.allCases)
  func examples(kind: SecretKind) throws {
    let examples = try #require(SecretExamples.all[kind])
    #expect(!examples.hidden.isEmpty)
    #expect(!examples.kept.isEmpty)
    for (text, secret) in examples.hidden {
      let scrubbed = Self.scrubber.text(text)
      #expect(!scrubbed.contains(secret), "\(text) became \(scrubbed)")
      #expect(scrubbed != text, "\(text) became \(scrubbed)")
      #expect(Self.scrubber.text(scrubbed) == scrubbed, "\(text)")
      #expect(!Self.scrubber.text("At 10:20 (\(text)), then").contains(secret), "\(text)")
      #expect(!Self.scrubber.value(["x": [.string(text)]]).jsonText.contains(secret), "\(text)")
    }
    for text in examples.kept { #expect(Self.scrubber.text(text) == text) }
  }

  @Test("An export keeps 1.2.3.4 in a member named version, and replaces it as an address elsewhere")
  func versions() {
    #expect(Self.scrubber.value(["osVersion": "1.2.3.4"]) == ["osVersion": "1.2.3.4"])
    #expect(Self.scrubber.value(["versions": ["a": "1.2.3.4"]]) == ["versions": ["a": "1.2.3.4"]])
    #expect(Self.scrubber.value(["host": "1.2.3.4"]) != ["host": "1.2.3.4"])
  }

  private static let hostile: [String] = [
    "0", "1 ", "1.", "1-", "+1", "(0", ".", "=", ":", "%", "\\", "a:", "::", "DE89", "\\\"", "/a ", "a/", "./a ", "%3D",
    "pin ", "pin=\"", "pin=", "key='", "{\"name\":", "value:[", "[", "ş", "パ", "パスワード", "code 1", "?code=", "a=b,",
    "https://", " is", "x@", "4111111111111111-", "fe80:", "00:", "87d349ed-44d7-43e1-9a83-5f2406dee5bd",
  ]

  private static let hostileScrubber = ExportScrubber(
    scrubber: LogScrubber(pseudonyms: Pseudonyms(salt: salt), keys: ["apiKey", "pin"]), names: KnownNames([]),
    pseudonyms: Pseudonyms(salt: salt), keeping: [])

  /// What this thread worked, in milliseconds: other programs do not change it.
  private static func work(_ body: () -> Void) -> Double {
    func time() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
    let start = time()
    body()
    return time() - start
  }

  @Test(
    "Scrubbing takes time in proportion to the length of the text, whatever it contains",
    arguments: ["", "{name:apiKey ", "/a", "pin=\""])
  func linear(beginning: String) {
    for unit in Self.hostile {
      func work(_ count: Int) -> Double {
        let text = beginning + String(repeating: unit, count: count / unit.utf8.count)
        return Self.work { _ = Self.hostileScrubber.text(text) }
      }
      let (short, long) = (work(500), work(8_000))
      let isLinear = long < 16 * 4 * max(short, 0.2) || work(8_000) < 16 * 4 * work(500)
      #expect(isLinear, "\(beginning) and \(unit): \(short) ms for 500 bytes, \(long) ms for 8,000")
    }
  }

  @Test(
    "Scrubbing replaces a secret after 65,536 repetitions of one character",
    arguments: ["=", ":", "0", ".", "%", "\\", " ", "/"])
  func longRun(sign: String) {
    let text = String(repeating: sign, count: 1 << 16)
    #expect(Self.hostileScrubber.text("\(text) pin=hunter2").hasSuffix("pin=***"))
  }
}
