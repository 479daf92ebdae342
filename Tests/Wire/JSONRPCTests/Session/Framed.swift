/// A message behind a Content-Length header.
func framed(_ message: String) -> [UInt8] {
  Array("Content-Length: \(message.utf8.count)\r\n\r\n\(message)".utf8)
}

/// The messages of a stream with Content-Length headers; a last one of what is wrong with it.
func unframed(_ text: String) -> [String] {
  var messages: [String] = []
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let header = rest.prefix { $0 != UInt8(ascii: "\n") }
    let digits = String(decoding: header, as: UTF8.self).dropFirst("Content-Length: ".count).dropLast()
    guard let count = Int(digits), rest.count >= header.count + 3 + count else {
      return messages + ["broken: \(String(decoding: rest, as: UTF8.self))"]
    }
    rest = rest.dropFirst(header.count + 3)
    messages.append(String(decoding: rest.prefix(count), as: UTF8.self))
    rest = rest.dropFirst(count)
  }
  return messages
}
