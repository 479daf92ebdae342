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
    work(SubscribeToLog.self) { params, core, connection throws(MAMError) in
      let log = try core.refresh().log
      if let peer = connection.peer { connection.logPush.restart(log, from: params.level ?? .verbose, telling: peer) }
      return SubscribeToLog.Result()
    }
    work(ExportDiagnostics.self) { params, core, connection throws(MAMError) in
      try core.exportDiagnostics(connection.diagnosticReport(), to: params.path)
    }
    work(GetIntuneLogPaths.self) { _, core, _ throws(MAMError) in try core.refresh().log.logPaths }
    work(GetDiagnosticInformation.self) { _, core, connection throws(MAMError) in
      try core.diagnosticInformation(
        version: connection.bridge.version, sdkVersion: SDKVersion.implementedVersion)
    }
    work(DisplayDiagnosticConsole.self) { _, core, connection throws(MAMError) in
      let path = try core.writeDiagnosticPage(of: connection.diagnosticReport())
      await core.host.showDiagnosticConsole(path: path.text)
      return DisplayDiagnosticConsole.Result(path: path)
    }
  }
}

extension BridgeConnection {
  fileprivate func diagnosticReport() throws(MAMError) -> DiagnosticReport {
    try core.diagnosticReport(
      version: bridge.version, sdkVersion: SDKVersion.implementedVersion, identities: identities)
  }
}
