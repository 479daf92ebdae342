import Glibc
import NIOCore

/// The IP address of a client. An IPv4 address counts as the same whether the listener sees it as IPv4 or inside of
/// IPv6.
package struct ClientAddress: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  private init(_ bytes: some Sequence<UInt8>) {
    let (high, low) = bytes.enumerated().reduce((UInt64(0), UInt64(0))) { words, byte in
      byte.offset < 8
        ? (words.0 << 8 | UInt64(byte.element), words.1) : (words.0, words.1 << 8 | UInt64(byte.element))
    }
    self.init(high: high, low: low)
  }

  /// From the text of an address, such as `192.0.2.1` or `2001:db8::1`. `nil` for other text.
  package init?(_ text: String) {
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, text, &four) == 1 {
      self.init(mappedIPv4: UInt32(bigEndian: four.s_addr))
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      self = withUnsafeBytes(of: &six) { ClientAddress($0) }
    } else {
      return nil
    }
  }

  /// `nil` for a unix socket.
  package init?(_ address: SocketAddress?) {
    switch address {
    case .v4(let address): self.init(mappedIPv4: UInt32(bigEndian: address.address.sin_addr.s_addr))
    case .v6(let address):
      var bytes = address.address.sin6_addr
      self = withUnsafeBytes(of: &bytes) { ClientAddress($0) }
    case .unixDomainSocket, nil: return nil
    }
  }

  private init(mappedIPv4 number: UInt32) {
    self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(number))
  }

  private var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// What one client can choose addresses from: the address itself or, of IPv6, its /64.
  package var network: ClientAddress { isIPv4 ? self : ClientAddress(high: high, low: 0) }
}
