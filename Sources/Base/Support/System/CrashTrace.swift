import CCrash

/// What the process leaves behind if a signal such as SIGSEGV ends it: the signal, the build, addresses of its code and
/// the names of the last calls. It contains no content.
package enum CrashTrace {
  /// The folder of the traces, in the folder that `keep` names.
  package static let folderName = "crashes"

  /// From now on, such a signal leaves a trace on stderr, and then does what it did before. Call it before other threads
  /// start.
  package static func begin(program: String, version: String) { ccrash_install(program, version) }

  /// From now on, the trace is a file in the folder for traces in `folder`, an absolute path. The first call counts.
  package static func keep(in folder: String) { ccrash_open(folder) }

  /// Notes the name of a method that is called. The name must not be text of a client.
  package static func note(call name: String) {
    _ = name.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.withMemoryRebound(to: CChar.self) { ccrash_note_call($0.baseAddress, $0.count) }
    }
  }

  /// Runs the body of a thread, which can then leave a trace even if its stack is used up.
  static func covering(_ body: () -> Void) {
    let stack = ccrash_begin_thread()
    body()
    ccrash_end_thread(stack)
  }
}
