import Model

/// Whether each location may be used, and why.
package struct LocationDecisions<Location: SDKEnum>: Explicable {
  private let decide: @Sendable (Location) -> Decision<Bool>

  init(_ decide: @escaping @Sendable (Location) -> Decision<Bool>) {
    self.decide = decide
  }

  package var value: LocationPermissions<Location> { LocationPermissions { decide($0).value } }
  package var reasons: [Reason] { Location.allCases.map { decide($0).reason(for: $0.rawValue) } }
}
