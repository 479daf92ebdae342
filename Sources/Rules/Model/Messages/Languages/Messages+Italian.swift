extension AlertMessage {
  package var italian: String {
    switch self {
    case .ok: "OK"
    case .goOn: "Continua"
    case .cancel: "Annulla"
    case .warningTitle: "Attenzione"
    case .notificationTitle: "Nuova notifica"
    case .notificationMessage: "Apri l'applicazione per vederla."
    case .restartTitle: "Riavvio necessario"
    case .restartMessage:
      "Ora la tua organizzazione protegge i propri dati in questa applicazione. Riavvia l'applicazione per continuare."
    case .noPolicyTitle: "Nessun criterio"
    case .noPolicyMessage:
      """
      I criteri della tua organizzazione non sono configurati in questa applicazione. Qui i dati dell'organizzazione \
      non sono protetti.
      """
    case .policyRequired:
      """
      Questa applicazione richiede i criteri della tua organizzazione. Accedi con il tuo account aziendale per continuare.
      """
    case .pinningFailedTitle: "La connessione non è sicura"
    case .pinningFailedMessage:
      """
      Il server non è riuscito a dimostrare di appartenere alla tua organizzazione. Prova un'altra rete o rivolgiti \
      all'amministratore.
      """
    case .wipedTitle: "Dati rimossi"
    case .wipedMessage: "I dati della tua organizzazione sono stati rimossi da questa applicazione."
    case .heldMessage:
      """
      La tua organizzazione ha sospeso la rimozione dei propri dati dalle applicazioni. Finché dura la \
      sospensione, i suoi dati in questa applicazione non possono essere usati.
      """
    case .blockFailedTitle: "Account bloccato"
    case .blockFailedMessage: "Non è stato possibile nascondere un account bloccato. Chiudi l'applicazione e riaprila."
    }
  }
}

extension SharingMessage {
  package var italian: String {
    switch self {
    case .blockedTitle: "Operazione non consentita"
    case .blockedMessage: "La tua organizzazione non consente di condividere qui i propri dati."
    case .blockedAction: "OK"
    case .outgoingTitle: "Condivisione non consentita"
    case .outgoingBlocked: "La tua organizzazione non consente ai propri dati di uscire da questa applicazione."
    case .outgoingRestricted:
      "I dati della tua organizzazione possono essere condivisi solo con applicazioni gestite dall'organizzazione."
    case .incomingTitle: "Contenuto non accettato"
    case .incomingBlocked: "La tua organizzazione non consente di usare qui questo contenuto."
    case .incomingDisallowed: "Il tuo account aziendale non può ricevere contenuti da altre applicazioni."
    case .incomingRestricted:
      "Il tuo account aziendale può ricevere contenuti solo da applicazioni gestite dalla tua organizzazione."
    case .incomingOfOtherAccount:
      "Questo contenuto appartiene a un altro account aziendale, che non ne consente la condivisione."
    case .incomingNotSwitched: "Questo contenuto appartiene a un altro account. Passa a quell'account per aprirlo."
    case .clipboardBlocked:
      """
      La tua organizzazione non consente di copiare i propri dati in altre applicazioni né di incollare contenuti \
      provenienti da esse.
      """
    case .clipboardTooLong: "La tua organizzazione consente di copiare al massimo # caratteri."
    case .clipboardIncomingTooLong: "La tua organizzazione consente di incollare al massimo # caratteri."
    case .printing: "La tua organizzazione non consente di stampare i propri dati."
    case .saving: "La tua organizzazione non consente di salvare i propri dati in quella posizione."
    case .dictation: "La tua organizzazione non consente di usare qui la dettatura."
    case .keyboard: "La tua organizzazione non consente questa tastiera. Usa quella di sistema."
    case .edgeRequired:
      "La tua organizzazione richiede di aprire questo collegamento in Microsoft Edge. Installalo per continuare."
    case .browserRequired:
      "La tua organizzazione richiede di aprire questo collegamento nel browser che ha scelto. Installalo per continuare."
    case .dialerRequired:
      "La tua organizzazione richiede di chiamare questo numero con l'applicazione che ha scelto. Installala per continuare."
    }
  }
}

extension AccountMessage {
  package var italian: String {
    switch self {
    case .signInTitle: "Accedi"
    case .signInMessage:
      "Accedi con il tuo account aziendale per usare i dati della tua organizzazione in questa applicazione."
    case .signInOtherUser: "Ha effettuato l'accesso un altro utente. Accedi con l'account richiesto."
    case .signInFailed: "Non è stato possibile confermare il tuo accesso. Accedi di nuovo."
    case .signInAgain: "La tua organizzazione chiede di accedere di nuovo prima di mostrare i propri dati."
    case .disabledTitle: "Account disabilitato"
    case .disabledMessage:
      """
      Il tuo account aziendale è stato disabilitato. I dati della tua organizzazione non possono essere usati qui. \
      Chiedi aiuto all'amministratore.
      """
    case .clockedOutTitle: "Fuori servizio"
    case .clockedOutMessage:
      """
      Non hai timbrato l'entrata. La tua organizzazione vuole che i propri dati siano usati durante l'orario di \
      lavoro.
      """
    case .offlineTitle: "Connettiti a una rete"
    case .offlineBlocked:
      """
      Questa applicazione è rimasta offline troppo a lungo. Connettiti a una rete per usare i dati della tua \
      organizzazione.
      """
    case .offlineSignIn:
      """
      Questa applicazione è rimasta offline troppo a lungo. Connettiti a una rete e accedi, altrimenti i dati della \
      tua organizzazione saranno rimossi.
      """
    case .offlineWipeTitle: "Accedi o rimuovi i dati"
    case .offlineWipeMessage:
      """
      Questa applicazione è rimasta offline troppo a lungo. Accedi per conservare qui i dati della tua organizzazione; \
      annulla per rimuoverli.
      """
    }
  }
}

extension PINMessage {
  package var italian: String {
    switch self {
    case .setTitle: "Imposta un PIN"
    case .setMessage: "Scegli un PIN che protegga i dati della tua organizzazione in questa applicazione."
    case .setError: "Questo PIN non può essere usato."
    case .enterTitle: "Inserisci il PIN"
    case .enterMessage: "Inserisci il PIN per vedere i dati della tua organizzazione."
    case .enterError: "PIN errato. Riprova."
    case .biometricNotAllowed: "La tua organizzazione richiede ora il tuo PIN. Inseriscilo per continuare."
    case .changeTitle: "Cambia il PIN"
    case .changeRequired: "La tua organizzazione ha nuove regole per i PIN. Scegline un altro."
    case .expired: "Il tuo PIN è scaduto. Scegline un altro."
    case .retriesTitle: "Troppi PIN errati"
    case .retriesReset: "Hai inserito troppi PIN errati. Accedi con il tuo account aziendale per sceglierne uno nuovo."
    case .retriesWipe:
      """
      Sono stati inseriti troppi PIN errati. I dati della tua organizzazione sono stati rimossi da questa applicazione.
      """
    case .simplePIN: "Non sono consentite sequenze come 123 né ripetizioni come 111."
    case .simplePasscode: "Non sono consentite sequenze come 123 o abc né ripetizioni come aaa."
    case .numericNotAllowed: "Il PIN deve contenere una lettera o un simbolo."
    case .onlyNumericAllowed: "Sono consentite solo cifre."
    case .classesRequired: "Il PIN deve contenere una cifra, una lettera e un simbolo."
    case .usedBefore: "Hai già usato questo PIN in passato. Scegline un altro."
    case .lengthRequired: "Il PIN deve contenere almeno # caratteri."
    }
  }
}

extension ComplianceMessage {
  package var italian: String {
    switch self {
    case .compliantTitle: "Tutto pronto"
    case .compliant: "Questa applicazione soddisfa i requisiti della tua organizzazione."
    case .notCompliantTitle: "Accesso bloccato"
    case .notCompliant:
      """
      La tua organizzazione non ha criteri per il tuo account in questa applicazione. Chiedi all'amministratore di \
      assegnarli.
      """
    case .serviceFailureTitle: "Impossibile verificare l'accesso"
    case .serviceFailure:
      """
      Non è stato possibile applicare al tuo account i criteri della tua organizzazione. Chiedi aiuto all'amministratore.
      """
    case .networkFailureTitle: "Nessuna rete"
    case .networkFailure:
      "Non è stato possibile caricare i criteri della tua organizzazione. Connettiti a una rete e riprova."
    case .interactionRequiredTitle: "Azione richiesta"
    case .interactionRequired: "Per usare il tuo account aziendale, apri l'applicazione e rispondi alla domanda."
    case .userCancelledTitle: "Annullato"
    case .userCancelled: "Hai annullato. Il tuo account aziendale non può ancora essere usato in questa applicazione."
    }
  }
}

extension VersionMessage {
  package var italian: String {
    switch self {
    case .sdkWarning:
      "La tua organizzazione consiglia una versione più recente (#) della protezione di questa applicazione."
    case .sdkBlocked:
      """
      La tua organizzazione richiede una versione più recente (#) della protezione di questa applicazione. Aggiorna \
      l'applicazione per continuare.
      """
    case .sdkWiped:
      """
      La protezione dell'applicazione è troppo vecchia per la tua organizzazione, che richiede la versione # e ha \
      rimosso da qui i propri dati. Aggiorna l'applicazione.
      """
    case .appWarning: "La tua organizzazione consiglia una versione più recente (#) di questa applicazione."
    case .appBlocked:
      "La tua organizzazione richiede una versione più recente (#) di questa applicazione. Aggiornala per continuare."
    case .appWiped:
      """
      L'applicazione è troppo vecchia per la tua organizzazione, che richiede la versione # e ha rimosso da qui i \
      propri dati. Aggiornala e accedi di nuovo.
      """
    case .systemTooLowWarning:
      "La tua organizzazione consiglia una versione più recente (#) del sistema del dispositivo."
    case .systemTooLowBlocked:
      """
      La tua organizzazione richiede una versione più recente (#) del sistema del dispositivo. Aggiorna il sistema per \
      continuare.
      """
    case .systemTooLowWiped:
      """
      Il sistema è troppo vecchio per la tua organizzazione, che richiede la versione # e ha rimosso da qui i propri \
      dati. Aggiornalo e accedi di nuovo.
      """
    case .systemTooHighWarning:
      "La tua organizzazione consiglia una versione meno recente (#) del sistema del dispositivo."
    case .systemTooHighBlocked:
      "La tua organizzazione supporta il sistema solo fino alla versione #. Usane una meno recente per continuare."
    case .systemTooHighWiped:
      "La tua organizzazione supporta il sistema solo fino alla versione # e ha rimosso da qui i propri dati."
    case .updateInPortal: "Trovi l'aggiornamento nel Portale aziendale."
    case .updateAt: "Trovi l'aggiornamento qui: #"
    }
  }
}

extension DeviceMessage {
  package var italian: String {
    switch self {
    case .rootedTitle: "Dispositivo non protetto"
    case .rootedMessage:
      """
      La protezione del sistema di questo dispositivo è compromessa. La tua organizzazione non consente di usare qui i \
      propri dati.
      """
    case .pinRequiredTitle: "Serve un PIN del dispositivo"
    case .pinRequiredMessage:
      """
      La tua organizzazione richiede che questo dispositivo abbia un PIN. Impostane uno nelle impostazioni del dispositivo.
      """
    case .lockTooWeak:
      "La tua organizzazione richiede un blocco schermo più sicuro. Impostalo nelle impostazioni del dispositivo."
    case .developerOptions:
      "La tua organizzazione non consente che le opzioni sviluppatore siano attive. Disattivale nelle impostazioni."
    case .notAttested:
      "La tua organizzazione richiede un dispositivo verificato da Samsung Knox, e questo dispositivo non lo è."
    case .policyTooNew:
      """
      I criteri della tua organizzazione contengono regole che questa app non conosce ancora. Aggiornala \
      o chiedi all'amministratore.
      """
    case .modelBlocked: "La tua organizzazione non consente di usare i propri dati su questo tipo di dispositivo (#)."
    case .modelWiped:
      """
      La tua organizzazione non consente di usare i propri dati su questo tipo di dispositivo (#). I dati sono stati \
      rimossi da questa applicazione.
      """
    case .threat:
      "È stata segnalata una minaccia sul dispositivo. Apri la tua app di protezione dalle minacce per sapere cosa fare."
    case .threatDefenseMissing:
      """
      La tua organizzazione richiede un'app di protezione dalle minacce su questo dispositivo. Configurala per continuare.
      """
    }
  }
}
