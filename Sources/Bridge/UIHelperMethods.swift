import BridgeAPI
import JSON
import MAM

extension MethodTable.Declarations {
  mutating func addUIHelper() {
    work(ShowSharingBlockedMessage.self) { params, core, _ in
      core.showSharingBlocked(in: params.window)
      return Nothing()
    }
    immediate(GetRestartApplicationMessage.self) { _, connection in Core.restartMessage(in: connection.language) }
  }
}
