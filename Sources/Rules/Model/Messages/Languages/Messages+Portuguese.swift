extension AlertMessage {
  package var portuguese: String {
    switch self {
    case .ok: "OK"
    case .goOn: "Continuar"
    case .cancel: "Cancelar"
    case .warningTitle: "Atenção"
    case .notificationTitle: "Nova notificação"
    case .notificationMessage: "Abra o aplicativo para vê-la."
    case .restartTitle: "Reinicialização necessária"
    case .restartMessage:
      "Sua organização agora protege os dados dela neste aplicativo. Reinicie o aplicativo para continuar."
    case .noPolicyTitle: "Nenhuma política"
    case .noPolicyMessage:
      "A política da sua organização não está configurada neste aplicativo. Os dados dela não estão protegidos aqui."
    case .policyRequired:
      "Este aplicativo precisa da política da sua organização. Entre com a sua conta corporativa para continuar."
    case .pinningFailedTitle: "A conexão não é segura"
    case .pinningFailedMessage:
      """
      O servidor não conseguiu provar que pertence à sua organização. Tente outra rede ou fale com o seu administrador.
      """
    case .wipedTitle: "Dados removidos"
    case .wipedMessage: "Os dados da sua organização foram removidos deste aplicativo."
    case .heldMessage:
      """
      Sua organização suspendeu a remoção dos dados dela dos aplicativos. Até que isso termine, os dados dela \
      neste aplicativo não podem ser usados.
      """
    case .blockFailedTitle: "Conta bloqueada"
    case .blockFailedMessage: "Não foi possível ocultar uma conta bloqueada. Feche o aplicativo e abra-o novamente."
    }
  }
}

extension SharingMessage {
  package var portuguese: String {
    switch self {
    case .blockedTitle: "Não permitido"
    case .blockedMessage: "Sua organização não permite compartilhar os dados dela aqui."
    case .blockedAction: "OK"
    case .outgoingTitle: "Compartilhamento não permitido"
    case .outgoingBlocked: "Sua organização não permite que os dados dela saiam deste aplicativo."
    case .outgoingRestricted:
      "Os dados da sua organização só podem ser compartilhados com aplicativos gerenciados por ela."
    case .incomingTitle: "Conteúdo não aceito"
    case .incomingBlocked: "Sua organização não permite usar este conteúdo aqui."
    case .incomingDisallowed: "Sua conta corporativa não pode receber conteúdo de outros aplicativos."
    case .incomingRestricted:
      "Sua conta corporativa só pode receber conteúdo de aplicativos gerenciados pela sua organização."
    case .incomingOfOtherAccount: "Este conteúdo pertence a outra conta corporativa, que não permite compartilhá-lo."
    case .incomingNotSwitched: "Este conteúdo pertence a outra conta. Mude para essa conta para abri-lo."
    case .clipboardBlocked:
      "Sua organização não permite copiar os dados dela para outros aplicativos nem colar conteúdo deles."
    case .clipboardTooLong: "Sua organização permite copiar no máximo # caracteres."
    case .clipboardIncomingTooLong: "Sua organização permite colar no máximo # caracteres."
    case .printing: "Sua organização não permite imprimir os dados dela."
    case .saving: "Sua organização não permite salvar os dados dela nesse local."
    case .dictation: "Sua organização não permite usar o ditado aqui."
    case .keyboard: "Sua organização não permite este teclado. Use o teclado do sistema."
    case .edgeRequired: "Sua organização exige que este link seja aberto no Microsoft Edge. Instale-o para continuar."
    case .browserRequired:
      "Sua organização exige que este link seja aberto no navegador escolhido por ela. Instale-o para continuar."
    case .dialerRequired:
      "Sua organização exige que esta ligação seja feita com o aplicativo escolhido por ela. Instale-o para continuar."
    }
  }
}

extension AccountMessage {
  package var portuguese: String {
    switch self {
    case .signInTitle: "Entrar"
    case .signInMessage: "Entre com a sua conta corporativa para usar os dados da sua organização neste aplicativo."
    case .signInOtherUser: "Outro usuário entrou. Entre com a conta solicitada."
    case .signInFailed: "Não foi possível confirmar o seu login. Entre novamente."
    case .signInAgain: "Sua organização pede que você entre novamente antes de ver os dados dela."
    case .disabledTitle: "Conta desativada"
    case .disabledMessage:
      """
      Sua conta corporativa foi desativada. Os dados da sua organização não podem ser usados aqui. Peça ajuda ao seu \
      administrador.
      """
    case .clockedOutTitle: "Fora do expediente"
    case .clockedOutMessage:
      "Você não registrou o ponto. Sua organização quer que os dados dela sejam usados durante o expediente."
    case .offlineTitle: "Conecte-se a uma rede"
    case .offlineBlocked:
      "Este aplicativo ficou tempo demais sem conexão. Conecte-se a uma rede para usar os dados da sua organização."
    case .offlineSignIn:
      """
      Este aplicativo ficou tempo demais sem conexão. Conecte-se a uma rede e entre, ou os dados da sua organização \
      serão removidos.
      """
    case .offlineWipeTitle: "Entrar ou remover os dados"
    case .offlineWipeMessage:
      """
      Este aplicativo ficou tempo demais sem conexão. Entre para manter aqui os dados da sua organização; cancele para \
      removê-los.
      """
    }
  }
}

extension PINMessage {
  package var portuguese: String {
    switch self {
    case .setTitle: "Definir um PIN"
    case .setMessage: "Escolha um PIN que proteja os dados da sua organização neste aplicativo."
    case .setError: "Este PIN não pode ser usado."
    case .enterTitle: "Digite o seu PIN"
    case .enterMessage: "Digite o seu PIN para ver os dados da sua organização."
    case .enterError: "PIN incorreto. Tente novamente."
    case .biometricNotAllowed: "Sua organização pede o seu PIN agora. Digite-o para continuar."
    case .changeTitle: "Alterar o seu PIN"
    case .changeRequired: "Sua organização tem novas regras para PINs. Escolha outro."
    case .expired: "O seu PIN expirou. Escolha outro."
    case .retriesTitle: "Muitos PINs incorretos"
    case .retriesReset:
      "Você digitou muitos PINs incorretos. Entre com a sua conta corporativa para escolher um novo."
    case .retriesWipe:
      "Foram digitados muitos PINs incorretos. Os dados da sua organização foram removidos deste aplicativo."
    case .simplePIN: "Sequências como 123 e repetições como 111 não são permitidas."
    case .simplePasscode: "Sequências como 123 ou abc e repetições como aaa não são permitidas."
    case .numericNotAllowed: "O PIN precisa ter uma letra ou um símbolo."
    case .onlyNumericAllowed: "Só são permitidos algarismos."
    case .classesRequired: "O PIN precisa ter um algarismo, uma letra e um símbolo."
    case .usedBefore: "Você já usou este PIN antes. Escolha outro."
    case .lengthRequired: "O PIN precisa ter pelo menos # caracteres."
    }
  }
}

extension ComplianceMessage {
  package var portuguese: String {
    switch self {
    case .compliantTitle: "Tudo pronto"
    case .compliant: "Este aplicativo atende aos requisitos da sua organização."
    case .notCompliantTitle: "Acesso bloqueado"
    case .notCompliant:
      """
      Sua organização não tem uma política para a sua conta neste aplicativo. Peça ao seu administrador que atribua \
      uma.
      """
    case .serviceFailureTitle: "Não foi possível verificar o acesso"
    case .serviceFailure:
      "Não foi possível aplicar a política da sua organização à sua conta. Peça ajuda ao seu administrador."
    case .networkFailureTitle: "Sem rede"
    case .networkFailure:
      "Não foi possível carregar a política da sua organização. Conecte-se a uma rede e tente novamente."
    case .interactionRequiredTitle: "Ação necessária"
    case .interactionRequired: "Abra o aplicativo e responda à pergunta para usar a sua conta corporativa."
    case .userCancelledTitle: "Cancelado"
    case .userCancelled: "Você cancelou. Sua conta corporativa ainda não pode ser usada neste aplicativo."
    }
  }
}

extension VersionMessage {
  package var portuguese: String {
    switch self {
    case .sdkWarning: "Sua organização recomenda uma versão mais nova (#) da proteção deste aplicativo."
    case .sdkBlocked:
      "Sua organização exige uma versão mais nova (#) da proteção deste aplicativo. Atualize o aplicativo para continuar."
    case .sdkWiped:
      """
      A proteção do aplicativo é antiga demais para a sua organização, que exige a versão # e removeu os dados dela \
      daqui. Atualize o aplicativo.
      """
    case .appWarning: "Sua organização recomenda uma versão mais nova (#) deste aplicativo."
    case .appBlocked:
      "Sua organização exige uma versão mais nova (#) deste aplicativo. Atualize o aplicativo para continuar."
    case .appWiped:
      """
      O aplicativo é antigo demais para a sua organização, que exige a versão # e removeu os dados dela daqui. \
      Atualize-o e entre novamente.
      """
    case .systemTooLowWarning: "Sua organização recomenda uma versão mais nova (#) do sistema do dispositivo."
    case .systemTooLowBlocked:
      "Sua organização exige uma versão mais nova (#) do sistema do dispositivo. Atualize o sistema para continuar."
    case .systemTooLowWiped:
      """
      O sistema do dispositivo é antigo demais para a sua organização, que exige a versão # e removeu os dados dela \
      daqui. Atualize-o e entre novamente.
      """
    case .systemTooHighWarning: "Sua organização recomenda uma versão mais antiga (#) do sistema do dispositivo."
    case .systemTooHighBlocked:
      "Sua organização dá suporte ao sistema do dispositivo somente até a versão #. Use uma mais antiga para continuar."
    case .systemTooHighWiped:
      "Sua organização dá suporte ao sistema do dispositivo somente até a versão # e removeu os dados dela daqui."
    case .updateInPortal: "A atualização está no Portal da Empresa."
    case .updateAt: "A atualização está aqui: #"
    }
  }
}

extension DeviceMessage {
  package var portuguese: String {
    switch self {
    case .rootedTitle: "Dispositivo sem proteção"
    case .rootedMessage:
      "A proteção do sistema deste dispositivo foi violada. Sua organização não permite usar os dados dela aqui."
    case .pinRequiredTitle: "PIN do dispositivo necessário"
    case .pinRequiredMessage:
      "Sua organização exige que este dispositivo tenha um PIN. Defina um nas configurações do dispositivo."
    case .lockTooWeak:
      "Sua organização exige um bloqueio de tela mais forte. Defina um nas configurações do dispositivo."
    case .developerOptions:
      "Sua organização não permite que as opções do desenvolvedor fiquem ativadas. Desative-as nas configurações."
    case .notAttested:
      "Sua organização exige um dispositivo verificado pelo Samsung Knox, e este dispositivo não foi verificado."
    case .policyTooNew:
      """
      A política da sua organização tem regras que este aplicativo ainda não conhece. Atualize-o ou fale \
      com o administrador.
      """
    case .modelBlocked: "Sua organização não permite usar os dados dela neste tipo de dispositivo (#)."
    case .modelWiped:
      """
      Sua organização não permite usar os dados dela neste tipo de dispositivo (#). Eles foram removidos deste \
      aplicativo.
      """
    case .threat:
      """
      Foi relatada uma ameaça neste dispositivo. Abra o seu aplicativo de proteção contra ameaças para ver o que \
      fazer.
      """
    case .threatDefenseMissing:
      """
      A sua organização exige um aplicativo de proteção contra ameaças neste dispositivo. Configure-o para continuar.
      """
    }
  }
}
