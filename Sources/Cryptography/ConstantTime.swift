import COpenSSL

/// Whether both are equal, in a time that depends on their lengths alone.
package func constantTimeEquals(_ left: some ByteSource, _ right: some ByteSource) -> Bool {
  left.withRawBytes { left in
    right.withRawBytes { right in
      left.count == right.count && (left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0)
    }
  }
}
