import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addEnforcement() {
    // Not the queue of the window's identity: the host sets that before it answers what this asks.
    work(ReceiveContent.self, queue: { "receive \($0.window ?? Identities.main)" }) {
      params, core, connection throws(MAMError) in
      let incoming = IncomingContent(
        try params.content(), from: params.from.account, isManaged: params.from.managed)
      let reception = try await core.receive(incoming, window: params.window, of: connection.identities)
      return ReceiveContent.Result(allowed: reception.isAllowed, account: core.state.named(reception.owner))
    }
    work(asking: NavigateWebView.self) { asked, core, connection throws(MAMError) in
      let navigation = try await core.navigate(
        to: asked.params.url, in: asked.params.webViewer, connection.webViews, showing: asked.account)
      return NavigateWebView.Result(
        action: navigation.action, account: navigation.owner.map(core.state.named),
        uploadAllowed: navigation.isUploadAllowed, pasteAllowed: navigation.isPasteAllowed)
    }
  }
}

extension ReceiveContent.Params {
  fileprivate func content() throws(MAMError) -> IncomingContent.Content {
    switch (url, paths, itemProvider) {
    case (let url?, nil, nil): .url(url)
    case (nil, let paths?, nil) where !paths.isEmpty: .files(paths)
    case (nil, nil, let item?): .item(item)
    default: throw MAMError(.invalidArguments, "exactly one of url, paths and itemProvider must be given")
    }
  }
}
