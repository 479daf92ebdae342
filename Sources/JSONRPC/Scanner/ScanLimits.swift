/// What one message may hold. Its length is the frame decoder's matter.
package struct ScanLimits: Hashable, Sendable {
  /// Open containers, the outermost included.
  package var nesting = 512
  /// Values of every kind, at every depth, the outermost included; names do not count.
  package var values = 1_000_000
  /// Elements of a batch.
  package var batch = 1000
  /// Bytes of an id as written, quotes included.
  package var idBytes = 1024

  package init(nesting: Int = 512, values: Int = 1_000_000, batch: Int = 1000, idBytes: Int = 1024) {
    self.nesting = nesting
    self.values = values
    self.batch = batch
    self.idBytes = idBytes
  }
}
