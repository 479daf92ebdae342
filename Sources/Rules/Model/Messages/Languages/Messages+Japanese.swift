extension AlertMessage {
  package var japanese: String {
    switch self {
    case .ok: "OK"
    case .goOn: "続ける"
    case .cancel: "キャンセル"
    case .warningTitle: "ご確認ください"
    case .notificationTitle: "新しい通知"
    case .notificationMessage: "アプリを開いて確認してください。"
    case .restartTitle: "再起動が必要です"
    case .restartMessage: "このアプリ内の組織のデータが保護されるようになりました。続けるにはアプリを再起動してください。"
    case .noPolicyTitle: "ポリシーがありません"
    case .noPolicyMessage: "このアプリには組織のポリシーが設定されていません。組織のデータはここでは保護されません。"
    case .policyRequired: "このアプリには組織のポリシーが必要です。続けるには職場アカウントでサインインしてください。"
    case .pinningFailedTitle: "接続は安全ではありません"
    case .pinningFailedMessage:
      "サーバーが組織のものであることを確認できませんでした。別のネットワークを試すか、管理者にお問い合わせください。"
    case .wipedTitle: "データを削除しました"
    case .wipedMessage: "組織のデータはこのアプリから削除されました。"
    case .heldMessage: "組織はアプリからのデータの削除を一時停止しています。再開されるまで、このアプリで組織のデータは使用できません。"
    case .blockFailedTitle: "アカウントがブロックされました"
    case .blockFailedMessage: "ブロックされたアカウントを非表示にできませんでした。アプリを閉じて、もう一度開いてください。"
    }
  }
}

extension SharingMessage {
  package var japanese: String {
    switch self {
    case .blockedTitle: "許可されていません"
    case .blockedMessage: "組織により、組織のデータをここで共有することは許可されていません。"
    case .blockedAction: "OK"
    case .outgoingTitle: "共有は許可されていません"
    case .outgoingBlocked: "組織により、組織のデータをこのアプリの外に出すことは許可されていません。"
    case .outgoingRestricted: "組織のデータは、組織が管理するアプリとのみ共有できます。"
    case .incomingTitle: "コンテンツを受け取れません"
    case .incomingBlocked: "組織により、このコンテンツをここで使用することは許可されていません。"
    case .incomingDisallowed: "職場アカウントでは、ほかのアプリのコンテンツを受け取れません。"
    case .incomingRestricted: "職場アカウントでは、組織が管理するアプリのコンテンツのみ受け取れます。"
    case .incomingOfOtherAccount: "このコンテンツは別の職場アカウントのもので、共有が許可されていません。"
    case .incomingNotSwitched: "このコンテンツは別のアカウントのものです。開くにはそのアカウントに切り替えてください。"
    case .clipboardBlocked: "組織により、組織のデータをほかのアプリにコピーすることと、ほかのアプリのコンテンツを貼り付けることは許可されていません。"
    case .clipboardTooLong: "組織により、コピーできるのは # 文字までに制限されています。"
    case .clipboardIncomingTooLong: "組織により、貼り付けられるのは # 文字までに制限されています。"
    case .printing: "組織により、組織のデータを印刷することは許可されていません。"
    case .saving: "組織により、組織のデータをその場所に保存することは許可されていません。"
    case .dictation: "組織により、ここでの音声入力は許可されていません。"
    case .keyboard: "組織により、このキーボードは許可されていません。システムのキーボードを使用してください。"
    case .edgeRequired: "組織のポリシーにより、このリンクは Microsoft Edge で開く必要があります。続けるには Microsoft Edge をインストールしてください。"
    case .browserRequired: "組織のポリシーにより、このリンクは指定のブラウザーで開く必要があります。続けるにはそのブラウザーをインストールしてください。"
    case .dialerRequired: "組織のポリシーにより、この番号には指定のアプリで発信する必要があります。続けるにはそのアプリをインストールしてください。"
    }
  }
}

extension AccountMessage {
  package var japanese: String {
    switch self {
    case .signInTitle: "サインイン"
    case .signInMessage: "このアプリで組織のデータを使用するには、職場アカウントでサインインしてください。"
    case .signInOtherUser: "別のユーザーがサインインしました。求められたアカウントでサインインしてください。"
    case .signInFailed: "サインインを確認できませんでした。もう一度サインインしてください。"
    case .signInAgain: "組織のデータを表示するには、もう一度サインインしてください。"
    case .disabledTitle: "アカウントは無効です"
    case .disabledMessage: "職場アカウントが無効になりました。組織のデータはここでは使用できません。管理者にお問い合わせください。"
    case .clockedOutTitle: "勤務時間外です"
    case .clockedOutMessage: "出勤が記録されていません。組織のデータは勤務時間中に使用してください。"
    case .offlineTitle: "ネットワークに接続してください"
    case .offlineBlocked:
      "このアプリは長い間オフラインになっています。組織のデータを使用するには、ネットワークに接続してください。"
    case .offlineSignIn: "このアプリは長い間オフラインになっています。ネットワークに接続してサインインしてください。サインインしないと組織のデータは削除されます。"
    case .offlineWipeTitle: "サインインまたはデータの削除"
    case .offlineWipeMessage:
      """
      このアプリは長い間オフラインになっていました。組織のデータをここに残すには、サインインしてください。\
      キャンセルするとデータは削除されます。
      """
    }
  }
}

extension PINMessage {
  package var japanese: String {
    switch self {
    case .setTitle: "PIN の設定"
    case .setMessage: "このアプリの組織のデータを保護する PIN を選んでください。"
    case .setError: "この PIN は使用できません。"
    case .enterTitle: "PIN の入力"
    case .enterMessage: "組織のデータを表示するには、PIN を入力してください。"
    case .enterError: "PIN が違います。もう一度お試しください。"
    case .biometricNotAllowed: "組織のポリシーにより、PIN の入力が必要です。続けるには PIN を入力してください。"
    case .changeTitle: "PIN の変更"
    case .changeRequired: "組織の PIN の規則が変わりました。別の PIN を選んでください。"
    case .expired: "PIN の有効期限が切れました。別の PIN を選んでください。"
    case .retriesTitle: "PIN の入力回数の上限"
    case .retriesReset:
      "間違った PIN が何度も入力されました。新しい PIN を選ぶには、職場アカウントでサインインしてください。"
    case .retriesWipe: "間違った PIN が何度も入力されました。組織のデータはこのアプリから削除されました。"
    case .simplePIN: "123 のような連続した数字や 111 のような繰り返しは使用できません。"
    case .simplePasscode: "123 や abc のような連続した文字、aaa のような繰り返しは使用できません。"
    case .numericNotAllowed: "PIN には文字または記号を含める必要があります。"
    case .onlyNumericAllowed: "使用できるのは数字のみです。"
    case .classesRequired: "PIN には数字、文字、記号をすべて含める必要があります。"
    case .usedBefore: "以前に使用した PIN です。別の PIN を選んでください。"
    case .lengthRequired: "PIN は # 文字以上にする必要があります。"
    }
  }
}

extension ComplianceMessage {
  package var japanese: String {
    switch self {
    case .compliantTitle: "準備完了"
    case .compliant: "このアプリは組織の要件を満たしています。"
    case .notCompliantTitle: "アクセスがブロックされています"
    case .notCompliant: "このアプリで使用するアカウントに、組織のポリシーが割り当てられていません。管理者に割り当てを依頼してください。"
    case .serviceFailureTitle: "アクセスを確認できませんでした"
    case .serviceFailure: "組織のポリシーをアカウントに適用できませんでした。管理者にお問い合わせください。"
    case .networkFailureTitle: "ネットワークがありません"
    case .networkFailure: "組織のポリシーを取得できませんでした。ネットワークに接続してもう一度お試しください。"
    case .interactionRequiredTitle: "操作が必要です"
    case .interactionRequired: "職場アカウントを使用するには、アプリを開いて質問に答えてください。"
    case .userCancelledTitle: "キャンセルしました"
    case .userCancelled: "キャンセルされました。このアプリではまだ職場アカウントを使用できません。"
    }
  }
}

extension VersionMessage {
  package var japanese: String {
    switch self {
    case .sdkWarning: "組織は、このアプリの保護機能の新しいバージョン (#) を推奨しています。"
    case .sdkBlocked: "組織の要件により、このアプリの保護機能の新しいバージョン (#) が必要です。続けるにはアプリを更新してください。"
    case .sdkWiped: "アプリの保護機能が古すぎます。組織の要件により、バージョン # が必要です。組織のデータはこのアプリから削除されました。アプリを更新してください。"
    case .appWarning: "組織は、このアプリの新しいバージョン (#) を推奨しています。"
    case .appBlocked: "組織の要件により、このアプリの新しいバージョン (#) が必要です。続けるにはアプリを更新してください。"
    case .appWiped: "アプリが古すぎます。組織の要件により、バージョン # が必要です。組織のデータはこのアプリから削除されました。アプリを更新して、もう一度サインインしてください。"
    case .systemTooLowWarning: "組織は、デバイスのシステムの新しいバージョン (#) を推奨しています。"
    case .systemTooLowBlocked: "組織の要件により、デバイスのシステムの新しいバージョン (#) が必要です。続けるにはシステムを更新してください。"
    case .systemTooLowWiped: "デバイスのシステムが古すぎます。組織の要件により、バージョン # が必要です。組織のデータはこのアプリから削除されました。システムを更新して、もう一度サインインしてください。"
    case .systemTooHighWarning: "組織は、デバイスのシステムの古いバージョン (#) を推奨しています。"
    case .systemTooHighBlocked:
      "組織が対応しているデバイスのシステムはバージョン # までです。続けるには古いバージョンを使用してください。"
    case .systemTooHighWiped: "組織が対応しているデバイスのシステムはバージョン # までです。組織のデータはこのアプリから削除されました。"
    case .updateInPortal: "更新プログラムはポータル サイトにあります。"
    case .updateAt: "更新プログラムはこちらにあります: #"
    }
  }
}

extension DeviceMessage {
  package var japanese: String {
    switch self {
    case .rootedTitle: "デバイスが保護されていません"
    case .rootedMessage: "このデバイスのシステムの保護が損なわれています。組織により、このデバイスで組織のデータを使用することは許可されていません。"
    case .pinRequiredTitle: "デバイスの PIN が必要です"
    case .pinRequiredMessage: "組織のポリシーにより、このデバイスには PIN が必要です。デバイスの設定で PIN を設定してください。"
    case .lockTooWeak: "組織のポリシーにより、より強力な画面ロックが必要です。デバイスの設定で変更してください。"
    case .developerOptions: "組織により、開発者向けオプションを有効にすることは許可されていません。デバイスの設定で無効にしてください。"
    case .notAttested: "組織のポリシーにより、Samsung Knox で検証されたデバイスが必要です。このデバイスは検証されていません。"
    case .policyTooNew:
      "組織のポリシーに、このアプリがまだ対応していないルールがあります。アプリを更新するか、管理者に問い合わせてください。"
    case .modelBlocked: "組織により、この種類のデバイス (#) で組織のデータを使用することは許可されていません。"
    case .modelWiped: "組織により、この種類のデバイス (#) で組織のデータを使用することは許可されていません。データはこのアプリから削除されました。"
    case .threat: "デバイスへの脅威が報告されています。脅威対策アプリを開いて対処方法を確認してください。"
    case .threatDefenseMissing:
      "組織のデータを使用するには、このデバイスに脅威対策アプリが必要です。続けるには、アプリを設定してください。"
    }
  }
}
