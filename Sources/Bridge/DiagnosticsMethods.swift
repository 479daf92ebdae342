import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addDiagnostics() {
    work(QueryLog.self) { params, core, _ throws(MAMError) in try core.refresh().log.query(params) }
    work(WriteLog.self) { params, core, _ throws(MAMError) in
      try core.refresh().log.writeFromHost(params.level, category: params.category, message: params.message)
      return WriteLog.Result()
    }
    work(GetIntuneLogPaths.self) { _, core, _ throws(MAMError) in try core.refresh().log.logPaths }
    work(GetDiagnosticInformation.self) { _, core, connection throws(MAMError) in
      try core.diagnosticInformation(
        version: connection.bridge.version, sdkVersion: SDKVersion.implementedVersion)
    }
  }
}
