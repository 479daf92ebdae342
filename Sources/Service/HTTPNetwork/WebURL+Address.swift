import Glibc
import HTTP

extension WebURL {
  /// The host without the brackets of an IPv6 address, as resolvers and certificates name it.
  var bareHost: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

  /// Whether the host is a numeric address.
  var isAddress: Bool {
    var buffer = in6_addr()
    return inet_pton(AF_INET, bareHost, &buffer) == 1 || inet_pton(AF_INET6, bareHost, &buffer) == 1
  }
}
