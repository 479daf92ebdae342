import BridgeAPI
import JSON
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addFileProtection() {
    work(ProtectPath.self) { params, core, _ throws(MAMError) in
      try core.protectFiles(params.path, for: params.account, renewsKey: true)
      return Nothing()
    }
    work(VerifyAndProtectPath.self) { params, core, _ throws(MAMError) in
      try core.protectFiles(params.path, for: params.account, renewsKey: false)
      return Nothing()
    }
    work(EncryptFile.self) { params, core, _ throws(MAMError) in
      try core.encryptFile(params.path, for: params.account)
      return true
    }
    work(DecryptFile.self) { params, core, _ throws(MAMError) in
      try core.decryptFile(params.path, to: params.toPath)
      return true
    }
    work(IsFileEncrypted.self) { params, core, _ throws(MAMError) in try core.isFileEncrypted(params.path) }
    addFilesAtPath()
    addFileProvider()
  }

  private mutating func addFilesAtPath() {
    work(ProtectFileAtPath.self) { params, core, _ throws(MAMError) in
      try core.protectFile(params.path, for: params.account)
      return true
    }
    work(DecryptFileAtPath.self) { params, core, _ throws(MAMError) in
      try core.decryptFile(params.path, to: nil)
      return true
    }
    work(IsFileEncryptedAtPath.self) { params, core, _ throws(MAMError) in try core.isFileEncrypted(params.path) }
    work(ProtectionInfoForFileAtPath.self) { params, core, _ throws(MAMError) in
      try core.fileProtectionInfo(params.path)
    }
  }

  private mutating func addFileProvider() {
    work(FileOwnerInfo.self) { params, core, _ throws(MAMError) in
      switch (params.path, params.item, params.enumerator) {
      case (let path?, nil, nil): try core.fileProtectionInfo(path)
      case (nil, let item?, nil): try core.protectionInfo(of: .item(item))
      case (nil, nil, let enumerator?): try core.protectionInfo(of: .enumerator(enumerator))
      default: throw MAMError(.invalidArguments, "exactly one of path, item and enumerator must be given")
      }
    }
    work(SetFileProviderEnumeratorAccount.self) { params, core, _ throws(MAMError) in
      try core.setOwner(of: .enumerator(params.enumerator), params.account)
      return Nothing()
    }
    work(ProtectFileProviderItem.self) { params, core, _ throws(MAMError) in
      try core.setOwner(of: .item(params.item), params.account)
      return Nothing()
    }
  }
}
