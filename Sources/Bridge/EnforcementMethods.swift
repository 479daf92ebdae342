import BridgeAPI
import JSON
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addEnforcement() {
    addClipboard()
    addReceive()
    question(telling: OpenURL.self) { questions, params, state, language in
      let decision = questions.opening(params.url, toManagedApp: state.isSchemeOfManagedApp(params.url.scheme))
      let refusal = decision.refusal(in: language)
      return decision.map { OpenURL.Result(action: $0.action, url: $0.url, refusal: refusal) }
    }
    question(FilterShareTargets.self) { questions, params, state in
      let isMDM = questions.account.flatMap(state.account)?.isMDM ?? false
      return questions.shareTargets(params.targets, isMDM: isMDM, in: state)
        .map { FilterShareTargets.Result(targets: $0.targets, encrypt: $0.encrypts) }
    }
    question(IsActionAllowed.self) { questions, params, state in
      questions.isActionAllowed(params.action, keyboard: params.keyboard, in: state)
    }
    question(telling: RedactNotification.self) { questions, params, _, language in
      questions.redact(title: params.title, body: params.body, in: language)
        .map { RedactNotification.Result(show: $0.isShown, title: $0.title, body: $0.body) }
    }
    question(working: NavigateWebView.self) { asked, core, connection async throws(MAMError) in
      let navigation = try await core.navigate(
        to: asked.params.url, in: asked.params.webViewer, connection.webViews, showing: asked.account)
      return navigation.map { NavigateWebView.Result($0, in: core.state) }
    }
  }

  private mutating func addClipboard() {
    question(working: CopyContent.self) { asked, core, _ throws(MAMError) in
      try core.copy(asked.params.content(), for: asked.account)
        .map { copy in
          CopyContent.Result(
            clipboard: copy.form, text: copy.content?.text, data: copy.content?.data, refusal: copy.refusal)
        }
    }
    question(working: PasteContent.self) { asked, core, _ throws(MAMError) in
      try core.paste(asked.params.content(), for: asked.account)
        .map { paste in
          PasteContent.Result(
            allowed: paste.content != nil, text: paste.content?.text, data: paste.content?.data, refusal: paste.refusal)
        }
    }
  }

  private mutating func addReceive() {
    // Not the queue of the window's identity: the host sets that before it answers what this asks.
    question(
      working: ReceiveContent.self, queue: { "receive \($0.window ?? Identities.main)" },
      { asked, core, connection async throws(MAMError) in
        let (params, identities) = (asked.params, connection.identities)
        let reception = try await core.reception(of: params.incoming(), window: params.window, of: identities)
        return reception.map { ReceiveContent.Result($0, in: core.state) }
      },
      doing: { asked, core, connection async throws(MAMError) in
        let (params, identities) = (asked.params, connection.identities)
        let reception = try await core.receive(params.incoming(), window: params.window, of: identities)
        return reception.map { ReceiveContent.Result($0, in: core.state) }
      })
  }
}

extension ReceiveContent.Result {
  fileprivate init(_ reception: Reception, in state: CoreState) {
    self.init(allowed: reception.isAllowed, account: state.named(reception.owner), refusal: reception.refusal)
  }
}

extension NavigateWebView.Result {
  fileprivate init(_ navigation: WebViewNavigation, in state: CoreState) {
    self.init(
      action: navigation.action, account: navigation.owner.map(state.named),
      uploadAllowed: navigation.isUploadAllowed, pasteAllowed: navigation.isPasteAllowed)
  }
}

extension CopyContent.Params {
  fileprivate func content() throws(MAMError) -> ClipboardContent {
    switch (text, data) {
    case (let text?, nil): .text(text)
    case (nil, let data?): .data(data.bytes)
    default: throw MAMError(.invalidArguments, "exactly one of text and data must be given")
    }
  }
}

extension ClipboardContent {
  fileprivate var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  fileprivate var data: Base64Bytes? {
    if case .data(let bytes) = self { Base64Bytes(bytes) } else { nil }
  }
}

extension ReceiveContent.Params {
  fileprivate func incoming() throws(MAMError) -> IncomingContent {
    IncomingContent(try content(), from: from.account, isManaged: from.managed)
  }

  private func content() throws(MAMError) -> IncomingContent.Content {
    switch (url, paths, itemProvider) {
    case (let url?, nil, nil): .url(url)
    case (nil, let paths?, nil) where !paths.isEmpty: .files(paths)
    case (nil, nil, let item?): .item(item)
    default: throw MAMError(.invalidArguments, "exactly one of url, paths and itemProvider must be given")
    }
  }
}
