import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addDevice() {
    memory(GetDevice.self) { _, state throws(MAMError) in state.device }
    work(SetDevice.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      try core.changeDevice { params.apply(to: &$0) }
    }
    work(AdvanceClock.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      AdvanceClock.Result(time: try core.scheduler.advance(byMilliseconds: params.by.duration.milliseconds))
    }
  }
}
