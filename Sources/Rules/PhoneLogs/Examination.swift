// PhoneLogs is what the logs and dumps of real phones say. `Examiner` takes a log line by line and keeps only what it finds:
// codes, policies, dumps. `Verdict` compares that with the tables of `PhoneCode` and `PhoneCause`, and claims a cause only
// if a signature decides it. Everything here is pure: no file, no clock, and no line of the input in the result.

import Support

/// What a phone's log or dump says.
package struct Examination: Sendable {
  /// A code, as often as it comes in a row.
  package struct Entry: Sendable {
    package let code: PhoneCode
    package let line: Int
    package let time: LogTime?
    /// A number for the account, the same for the same account; `nil` if the line names none.
    package let account: Int?
    package let isAsserted: Bool
    package var count: Int
  }

  /// In the order of time, if the lines state one.
  package fileprivate(set) var entries: [Entry] = []
  /// How many older codes are not among the entries, because there are too many.
  package fileprivate(set) var omitted = 0
  package fileprivate(set) var policies: [FoundPolicy] = []
  package fileprivate(set) var configurations: [FoundConfiguration] = []
  package fileprivate(set) var dumps: [PhoneDump] = []
  package fileprivate(set) var verdict = Verdict()
  package fileprivate(set) var lineCount = 0

  /// Whether anything of the SDK was found.
  package var isEmpty: Bool {
    entries.isEmpty && policies.isEmpty && configurations.isEmpty && dumps.isEmpty && verdict.candidates.isEmpty
  }
}

/// Reads a log line by line, in memory that does not grow with its length.
package struct Examiner {
  private static let mostEntries = 500
  private static let mostBlocks = 20
  private static let mostAccounts = 256

  private var result = Examination()
  private var attempts = Attempts()
  private var blocks = BlockCollector()
  private var signs: Set<PhoneSign> = []
  private var doubted: Set<PhoneCode> = []
  /// Whether a status that only the words around it call one is the SDK's.
  private var isAboutSDK = false
  private var textLineCount = 0
  /// The code that the only line consists of.
  private var lone: PhoneCode?
  private var accounts: [String: Int] = [:]
  private var lastTime: LogTime?
  private var lastSuccess: LogTime?

  package init() {}

  /// Takes a line without its end. `mayBeCut` says that the input ends in it, without an end of the line.
  package mutating func add(_ pasted: some Collection<UInt8>, mayBeCut: Bool = false) {
    result.lineCount += 1
    let line = LogLine(number: result.lineCount, pasted: pasted, mayBeCut: mayBeCut)
    lastTime = line.time ?? lastTime
    if !line.bytes.isEmpty { textLineCount += 1 }
    if !isAboutSDK { isAboutSDK = Self.isAboutSDK(line) }
    let account = AccountMark.account(in: line)
    if let account { note(account, in: line) }
    for sign in PhoneSign.signs(in: line) {
      signs.insert(sign)
      attempts.add(sign)
    }
    let mentions = CodeScanner.mentions(in: line)
    // Other programs log numbers, too. People name the SDK in another line.
    let isOfSDK = line.isLogged && mentions.contains(where: \.needsContext) ? Self.isAboutSDK(line) : isAboutSDK
    for mention in mentions {
      add(mention, account: account, line: line.number, isOfSDK: isOfSDK)
      if !mayBeCut, line.bytes.elementsEqual(mention.code.name.utf8) { lone = mention.code }
    }
    for block in blocks.add(line) { add(block) }
  }

  package consuming func finish() -> Examination {
    if let block = blocks.finish() { add(block) }
    if let lastSuccess, let lastTime, let seconds = lastTime.seconds(since: lastSuccess), seconds < 60 {
      signs.insert(.successMomentsAgo)
    }
    if let lone, textLineCount == 1, attempts.all.isEmpty {
      attempts.add(lone, account: nil, at: Attempt.Place(line: result.lineCount, time: nil))
    }
    if result.entries.count > Self.mostEntries { forgetOldest() }
    result.verdict = Verdict(attempts.all, signs: signs, doubted: doubted)
    result.entries.sortByTime()
    return result
  }

  private mutating func add(_ mention: CodeMention, account: String?, line: Int, isOfSDK: Bool) {
    if mention.code.isSuccess { lastSuccess = lastTime }
    let isAsserted = mention.isAsserted && (!mention.needsContext || isOfSDK)
    if isAsserted {
      attempts.add(mention.code, account: account, at: Attempt.Place(line: line, time: lastTime))
    } else {
      doubted.insert(mention.code)
    }
    let number = account.flatMap { accounts[$0] }
    if let last = result.entries.last, last.code == mention.code, last.account == number, last.isAsserted == isAsserted
    {
      result.entries[result.entries.endIndex - 1].count += 1
      return
    }
    if result.entries.count == 2 * Self.mostEntries { forgetOldest() }
    result.entries.append(
      Examination.Entry(
        code: mention.code, line: line, time: lastTime, account: number, isAsserted: isAsserted, count: 1))
  }

  /// The newest codes matter most.
  private mutating func forgetOldest() {
    let count = result.entries.count - Self.mostEntries
    result.entries.removeFirst(count)
    result.omitted += count
  }

  private mutating func add(_ block: BlockCollector.Block) {
    let found = DumpReader(block)
    result.policies.keepLast(Self.mostBlocks, of: found.policies)
    result.configurations.keepLast(Self.mostBlocks, of: found.configurations)
    result.dumps.keepLast(Self.mostBlocks, of: found.dumps)
    signs.formUnion(found.dumps.flatMap(\.signs))
    if found.policies.contains(where: { !$0.settings.isEmpty }) { signs.insert(.policyReceived) }
  }

  private mutating func note(_ account: String, in line: LogLine) {
    guard accounts[account] == nil, accounts.count < Self.mostAccounts else { return }
    accounts[account] = accounts.count + 1
    if accounts.keys.count(where: AccountMark.isHash) > 1 { signs.insert(.unequalIdentities) }
  }

  /// Whether the words of the SDK are in the line. A status without them may be anything's.
  private static func isAboutSDK(_ line: LogLine) -> Bool {
    line.includesInAnyCase("intune") || line.includesInAnyCase("enroll") || line.includesInAnyCase("mam policy")
      || line.includes("MAM")
  }
}

extension Array {
  fileprivate mutating func keepLast(_ most: Int, of elements: [Element]) {
    append(contentsOf: elements)
    if count > most { removeFirst(count - most) }
  }
}

extension [Examination.Entry] {
  /// Keeps the order of the input where times are missing or of several forms: files that were joined may overlap.
  fileprivate mutating func sortByTime() {
    guard Set(map { $0.time?.form }).count == 1, first?.time != nil else { return }
    let order = enumerated().sorted {
      ($0.element.time?.milliseconds ?? 0, $0.offset) < ($1.element.time?.milliseconds ?? 0, $1.offset)
    }
    self = order.map(\.element)
  }
}
