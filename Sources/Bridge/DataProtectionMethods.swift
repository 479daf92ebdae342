import BridgeAPI
import JSON
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addDataProtection() {
    work(Protect.self) { params, core, _ throws(MAMError) in
      Base64Bytes(try core.protect(params.data?.bytes, for: params.account))
    }
    work(Unprotect.self) { params, core, _ throws(MAMError) in
      Base64Bytes(try core.unprotect(params.data?.bytes))
    }
    work(ProtectString.self) { params, core, _ throws(MAMError) in
      try core.protect(params.string, for: params.account)
    }
    work(UnprotectString.self) { params, core, _ throws(MAMError) in try core.unprotect(params.string) }
    work(ProtectionInfo.self) { params, core, _ throws(MAMError) in try core.protectionInfo(params.data?.bytes) }
    work(ProtectionInfoForString.self) { params, core, _ throws(MAMError) in
      try core.protectionInfo(params.string)
    }
    work(ProtectionInfoForItemProvider.self) { params, core, _ throws(MAMError) in
      try core.protectionInfo(params.itemProvider)
    }
  }
}
