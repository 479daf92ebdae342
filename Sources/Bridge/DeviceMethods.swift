import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addDevice() {
    memory(GetDevice.self) { _, state throws(MAMError) in state.device }
    work(SetDevice.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      try await core.changeDeviceAndFollowUp { params.apply(to: &$0) }
    }
    work(AdvanceClock.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      let milliseconds = params.by.duration.milliseconds
      return AdvanceClock.Result(time: try await core.scheduler.advanceAndFollowUp(byMilliseconds: milliseconds))
    }
    work(SetTestPolicy.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      try core.setTestPolicy(params.settings, of: params.account?.reference)
      return SetTestPolicy.Result()
    }
    work(ClearTestPolicy.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      try core.clearTestPolicy(of: params.account?.reference)
      return ClearTestPolicy.Result()
    }
  }
}
