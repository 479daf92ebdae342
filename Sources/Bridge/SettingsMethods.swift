import BridgeAPI
import JSON
import MAM
import Model

extension MethodTable.Declarations {
  /// Overrides stay in order.
  private static let settings = "settings"

  mutating func addSettings() {
    memory(GetSettings.self) { params, state throws(MAMError) in state.settings.report(params.names) }
    work(SetSettings.self, queue: Self.settings) { params, core, _ throws(MAMError) in
      try core.override(params.values)
      return SetSettings.Result()
    }
    memory(AADAuthorityURIs.self) { params, state throws(MAMError) in state.authorities(of: params.account) }
  }
}
