import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addAppConfig() {
    memory(AppConfigFullData.self) { params, state throws(MAMError) in
      state.appConfig(of: params.account).fullData
    }
    memory(AppConfigHasConflict.self) { params, state throws(MAMError) in
      state.appConfig(of: params.account).hasConflict(params.key)
    }
    memory(AppConfigBoolValue.self) { params, state throws(MAMError) in
      state.appConfig(of: params.account).bool(params.key, params.queryType)
    }
    memory(AppConfigNumberValue.self) { params, state throws(MAMError) in
      state.appConfig(of: params.account).number(params.key, params.queryType)
    }
    memory(AppConfigStringValue.self) { params, state throws(MAMError) in
      state.appConfig(of: params.account).string(params.key, params.queryType)
    }
    memory(AppConfigAllBools.self) { params, state throws(MAMError) in
      state.appConfig(of: params.account).bools(params.key)
    }
    memory(AppConfigAllNumbers.self) { params, state throws(MAMError) in
      state.appConfig(of: params.account).numbers(params.key)
    }
    memory(AppConfigAllStrings.self) { params, state throws(MAMError) in
      state.appConfig(of: params.account).strings(params.key)
    }
  }
}
