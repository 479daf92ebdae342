extension Duration {
  /// The number of seconds, for example "30" or "0.5".
  package var secondsText: String {
    let (seconds, attoseconds) = components
    return attoseconds == 0 ? "\(seconds)" : "\(Double(seconds) + Double(attoseconds) / 1e18)"
  }
}
