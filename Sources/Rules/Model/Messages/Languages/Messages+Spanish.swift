extension AlertMessage {
  package var spanish: String {
    switch self {
    case .ok: "Aceptar"
    case .goOn: "Continuar"
    case .cancel: "Cancelar"
    case .warningTitle: "Atención"
    case .notificationTitle: "Nueva notificación"
    case .notificationMessage: "Abra la aplicación para verla."
    case .restartTitle: "Es necesario reiniciar"
    case .restartMessage:
      "Su organización protege ahora sus datos en esta aplicación. Reinicie la aplicación para continuar."
    case .noPolicyTitle: "Sin directiva"
    case .noPolicyMessage:
      """
      La directiva de su organización no está configurada en esta aplicación. Los datos de la organización no están \
      protegidos aquí.
      """
    case .policyRequired:
      "Esta aplicación necesita la directiva de su organización. Inicie sesión con su cuenta de trabajo para continuar."
    case .pinningFailedTitle: "La conexión no es segura"
    case .pinningFailedMessage:
      """
      El servidor no pudo demostrar que pertenece a su organización. Pruebe con otra red o consulte a su administrador.
      """
    case .wipedTitle: "Datos eliminados"
    case .wipedMessage: "Los datos de su organización se han eliminado de esta aplicación."
    case .heldMessage:
      """
      Su organización ha suspendido la eliminación de sus datos de las aplicaciones. Hasta que termine, sus datos \
      en esta aplicación no se pueden usar.
      """
    case .blockFailedTitle: "Cuenta bloqueada"
    case .blockFailedMessage: "No se ha podido ocultar una cuenta bloqueada. Cierre la aplicación y vuelva a abrirla."
    }
  }
}

extension SharingMessage {
  package var spanish: String {
    switch self {
    case .blockedTitle: "No permitido"
    case .blockedMessage: "Su organización no permite compartir sus datos aquí."
    case .blockedAction: "Aceptar"
    case .outgoingTitle: "No se permite compartir"
    case .outgoingBlocked: "Su organización no permite que sus datos salgan de esta aplicación."
    case .outgoingRestricted:
      "Los datos de su organización solo se pueden compartir con aplicaciones administradas por la organización."
    case .incomingTitle: "Contenido no aceptado"
    case .incomingBlocked: "Su organización no permite usar este contenido aquí."
    case .incomingDisallowed: "Su cuenta de trabajo no puede recibir contenido de otras aplicaciones."
    case .incomingRestricted:
      "Su cuenta de trabajo solo puede recibir contenido de aplicaciones administradas por su organización."
    case .incomingOfOtherAccount: "Este contenido pertenece a otra cuenta de trabajo, que no permite compartirlo."
    case .incomingNotSwitched: "Este contenido pertenece a otra cuenta. Cambie a esa cuenta para abrirlo."
    case .clipboardBlocked:
      "Su organización no permite copiar sus datos en otras aplicaciones ni pegar contenido de ellas."
    case .clipboardTooLong: "Su organización permite copiar # caracteres como máximo."
    case .clipboardIncomingTooLong: "Su organización permite pegar # caracteres como máximo."
    case .printing: "Su organización no permite imprimir sus datos."
    case .saving: "Su organización no permite guardar sus datos en esa ubicación."
    case .dictation: "Su organización no permite usar el dictado aquí."
    case .keyboard: "Su organización no permite este teclado. Use el teclado del sistema."
    case .edgeRequired: "Su organización exige abrir este vínculo en Microsoft Edge. Instálelo para continuar."
    case .browserRequired:
      "Su organización exige abrir este vínculo en el navegador elegido por la organización. Instálelo para continuar."
    case .dialerRequired:
      """
      Su organización exige llamar a este número con la aplicación elegida por la organización. Instálela para \
      continuar.
      """
    }
  }
}

extension AccountMessage {
  package var spanish: String {
    switch self {
    case .signInTitle: "Iniciar sesión"
    case .signInMessage:
      "Inicie sesión con su cuenta de trabajo para usar los datos de su organización en esta aplicación."
    case .signInOtherUser: "Ha iniciado sesión otro usuario. Inicie sesión con la cuenta solicitada."
    case .signInFailed: "No se pudo confirmar su inicio de sesión. Inicie sesión de nuevo."
    case .signInAgain:
      "Su organización le pide que vuelva a iniciar sesión antes de mostrar los datos de la organización."
    case .disabledTitle: "Cuenta deshabilitada"
    case .disabledMessage:
      """
      Su cuenta de trabajo se ha deshabilitado. Los datos de su organización no se pueden usar aquí. Pida ayuda a su \
      administrador.
      """
    case .clockedOutTitle: "Fuera del horario laboral"
    case .clockedOutMessage:
      "No ha fichado la entrada. Su organización quiere que sus datos se usen durante la jornada laboral."
    case .offlineTitle: "Conéctese a una red"
    case .offlineBlocked:
      """
      Esta aplicación ha estado demasiado tiempo sin conexión. Conéctese a una red para usar los datos de su organización.
      """
    case .offlineSignIn:
      """
      Esta aplicación ha estado demasiado tiempo sin conexión. Conéctese a una red e inicie sesión, o se eliminarán \
      los datos de su organización.
      """
    case .offlineWipeTitle: "Iniciar sesión o eliminar datos"
    case .offlineWipeMessage:
      """
      Esta aplicación ha estado demasiado tiempo sin conexión. Inicie sesión para conservar aquí los datos de su \
      organización; cancele para eliminarlos.
      """
    }
  }
}

extension PINMessage {
  package var spanish: String {
    switch self {
    case .setTitle: "Establecer un PIN"
    case .setMessage: "Elija un PIN que proteja los datos de su organización en esta aplicación."
    case .setError: "Este PIN no se puede usar."
    case .enterTitle: "Escriba su PIN"
    case .enterMessage: "Escriba su PIN para ver los datos de su organización."
    case .enterError: "PIN incorrecto. Inténtelo de nuevo."
    case .biometricNotAllowed: "Su organización solicita ahora su PIN. Escríbalo para continuar."
    case .changeTitle: "Cambiar su PIN"
    case .changeRequired: "Su organización tiene nuevas reglas para los PIN. Elija otro."
    case .expired: "Su PIN ha caducado. Elija otro."
    case .retriesTitle: "Demasiados PIN incorrectos"
    case .retriesReset:
      "Ha escrito demasiados PIN incorrectos. Inicie sesión con su cuenta de trabajo para elegir uno nuevo."
    case .retriesWipe:
      "Se han escrito demasiados PIN incorrectos. Los datos de su organización se han eliminado de esta aplicación."
    case .simplePIN: "No se permiten secuencias como 123 ni repeticiones como 111."
    case .simplePasscode: "No se permiten secuencias como 123 o abc ni repeticiones como aaa."
    case .numericNotAllowed: "El PIN debe tener una letra o un símbolo."
    case .onlyNumericAllowed: "Solo se permiten dígitos."
    case .classesRequired: "El PIN debe tener un dígito, una letra y un símbolo."
    case .usedBefore: "Ya ha usado este PIN antes. Elija otro."
    case .lengthRequired: "El PIN debe tener # caracteres como mínimo."
    }
  }
}

extension ComplianceMessage {
  package var spanish: String {
    switch self {
    case .compliantTitle: "Todo listo"
    case .compliant: "Esta aplicación cumple los requisitos de su organización."
    case .notCompliantTitle: "Acceso bloqueado"
    case .notCompliant:
      """
      Su organización no tiene ninguna directiva para su cuenta en esta aplicación. Pida a su administrador que le \
      asigne una.
      """
    case .serviceFailureTitle: "No se pudo comprobar el acceso"
    case .serviceFailure:
      "No se pudo aplicar a su cuenta la directiva de su organización. Pida ayuda a su administrador."
    case .networkFailureTitle: "Sin red"
    case .networkFailure: "No se pudo cargar la directiva de su organización. Conéctese a una red e inténtelo de nuevo."
    case .interactionRequiredTitle: "Se requiere su intervención"
    case .interactionRequired: "Abra la aplicación y responda a la pregunta para usar su cuenta de trabajo."
    case .userCancelledTitle: "Cancelado"
    case .userCancelled: "Ha cancelado. Su cuenta de trabajo todavía no se puede usar en esta aplicación."
    }
  }
}

extension VersionMessage {
  package var spanish: String {
    switch self {
    case .sdkWarning: "Su organización recomienda una versión más reciente (#) de la protección de esta aplicación."
    case .sdkBlocked:
      """
      Su organización exige una versión más reciente (#) de la protección de esta aplicación. Actualice la aplicación \
      para continuar.
      """
    case .sdkWiped:
      """
      La protección de la aplicación es demasiado antigua: su organización exige la versión #. Los datos de la \
      organización se han eliminado de esta aplicación. Actualice la aplicación.
      """
    case .appWarning: "Su organización recomienda una versión más reciente (#) de esta aplicación."
    case .appBlocked:
      "Su organización exige una versión más reciente (#) de esta aplicación. Actualice la aplicación para continuar."
    case .appWiped:
      """
      La aplicación es demasiado antigua: su organización exige la versión #. Los datos de la organización se han \
      eliminado de esta aplicación. Actualícela y vuelva a iniciar sesión.
      """
    case .systemTooLowWarning: "Su organización recomienda una versión más reciente (#) del sistema del dispositivo."
    case .systemTooLowBlocked:
      """
      Su organización exige una versión más reciente (#) del sistema del dispositivo. Actualice el sistema para continuar.
      """
    case .systemTooLowWiped:
      """
      El sistema del dispositivo es demasiado antiguo: su organización exige la versión #. Los datos de la \
      organización se han eliminado de esta aplicación. Actualícelo y vuelva a iniciar sesión.
      """
    case .systemTooHighWarning: "Su organización recomienda una versión anterior (#) del sistema del dispositivo."
    case .systemTooHighBlocked:
      "Su organización admite el sistema del dispositivo solo hasta la versión #. Use una anterior para continuar."
    case .systemTooHighWiped:
      """
      Su organización admite el sistema del dispositivo solo hasta la versión #. Los datos de la organización se han \
      eliminado de esta aplicación.
      """
    case .updateInPortal: "Encontrará la actualización en el Portal de empresa."
    case .updateAt: "Encontrará la actualización aquí: #"
    }
  }
}

extension DeviceMessage {
  package var spanish: String {
    switch self {
    case .rootedTitle: "Dispositivo sin protección"
    case .rootedMessage:
      "Se ha vulnerado la protección del sistema de este dispositivo. Su organización no permite usar sus datos aquí."
    case .pinRequiredTitle: "Se necesita un PIN del dispositivo"
    case .pinRequiredMessage:
      "Su organización exige que este dispositivo tenga un PIN. Establézcalo en la configuración del dispositivo."
    case .lockTooWeak:
      "Su organización exige un bloqueo de pantalla más seguro. Establézcalo en la configuración del dispositivo."
    case .developerOptions:
      "Su organización no permite que las opciones de desarrollador estén activadas. Desactívelas en la configuración."
    case .notAttested:
      "Su organización exige un dispositivo verificado por Samsung Knox, y este dispositivo no está verificado."
    case .policyTooNew:
      """
      La directiva de su organización tiene reglas que esta aplicación aún no conoce. Actualícela o \
      consulte a su administrador.
      """
    case .modelBlocked: "Su organización no permite usar sus datos en este tipo de dispositivo (#)."
    case .modelWiped:
      "Su organización no permite usar sus datos en este tipo de dispositivo (#). Se han eliminado de esta aplicación."
    case .threat:
      "Se ha notificado una amenaza en el dispositivo. Abra su aplicación de protección para ver qué debe hacer."
    case .threatDefenseMissing:
      """
      Su organización exige una aplicación de protección contra amenazas en este dispositivo. Configúrela para continuar.
      """
    }
  }
}
