extension AlertMessage {
  package var turkish: String {
    switch self {
    case .ok: "Tamam"
    case .goOn: "Devam"
    case .cancel: "Vazgeç"
    case .warningTitle: "Dikkat"
    case .notificationTitle: "Yeni bildirim"
    case .notificationMessage: "Görmek için uygulamayı açın."
    case .restartTitle: "Yeniden başlatma gerekiyor"
    case .restartMessage:
      "Kuruluşunuz artık bu uygulamadaki verilerini koruyor. Devam etmek için uygulamayı yeniden başlatın."
    case .noPolicyTitle: "İlke yok"
    case .noPolicyMessage:
      "Kuruluşunuzun ilkesi bu uygulamada ayarlanmamış. Kuruluşunuzun verileri burada korunmuyor."
    case .policyRequired:
      "Bu uygulama kuruluşunuzun ilkesine ihtiyaç duyuyor. Devam etmek için iş hesabınızla oturum açın."
    case .pinningFailedTitle: "Bağlantı güvenli değil"
    case .pinningFailedMessage:
      "Sunucu, kuruluşunuza ait olduğunu kanıtlayamadı. Başka bir ağ deneyin veya yöneticinize danışın."
    case .wipedTitle: "Veriler kaldırıldı"
    case .wipedMessage: "Kuruluşunuzun verileri bu uygulamadan kaldırıldı."
    case .heldMessage:
      """
      Kuruluşunuz, verilerinin uygulamalardan kaldırılmasını durdurdu. Bu sona erene kadar bu uygulamadaki \
      verileri kullanılamaz.
      """
    case .blockFailedTitle: "Hesap engellendi"
    case .blockFailedMessage: "Engellenen bir hesap gizlenemedi. Uygulamayı kapatıp yeniden açın."
    }
  }
}

extension SharingMessage {
  package var turkish: String {
    switch self {
    case .blockedTitle: "İzin verilmiyor"
    case .blockedMessage: "Kuruluşunuz, verilerinin burada paylaşılmasına izin vermiyor."
    case .blockedAction: "Tamam"
    case .outgoingTitle: "Paylaşıma izin verilmiyor"
    case .outgoingBlocked: "Kuruluşunuz, verilerinin bu uygulamadan çıkmasına izin vermiyor."
    case .outgoingRestricted: "Kuruluşunuzun verileri yalnızca kuruluşunuzun yönettiği uygulamalarla paylaşılabilir."
    case .incomingTitle: "İçerik kabul edilmedi"
    case .incomingBlocked: "Kuruluşunuz bu içeriğin burada kullanılmasına izin vermiyor."
    case .incomingDisallowed: "İş hesabınız başka uygulamalardan içerik alamaz."
    case .incomingRestricted: "İş hesabınız yalnızca kuruluşunuzun yönettiği uygulamalardan içerik alabilir."
    case .incomingOfOtherAccount: "Bu içerik, paylaşılmasına izin vermeyen başka bir iş hesabına ait."
    case .incomingNotSwitched: "Bu içerik başka bir hesaba ait. Açmak için o hesaba geçin."
    case .clipboardBlocked:
      """
      Kuruluşunuz, verilerinin diğer uygulamalara kopyalanmasına ve diğer uygulamalardan içerik yapıştırılmasına izin \
      vermiyor.
      """
    case .clipboardTooLong: "Kuruluşunuz en fazla # karakter kopyalanmasına izin veriyor."
    case .clipboardIncomingTooLong: "Kuruluşunuz en fazla # karakter yapıştırılmasına izin veriyor."
    case .printing: "Kuruluşunuz, verilerinin yazdırılmasına izin vermiyor."
    case .saving: "Kuruluşunuz, verilerinin bu konuma kaydedilmesine izin vermiyor."
    case .dictation: "Kuruluşunuz burada dikte kullanılmasına izin vermiyor."
    case .keyboard: "Kuruluşunuz bu klavyeye izin vermiyor. Lütfen sistem klavyesini kullanın."
    case .edgeRequired:
      "Kuruluşunuz bu bağlantının Microsoft Edge'de açılmasını istiyor. Devam etmek için Microsoft Edge'i yükleyin."
    case .browserRequired:
      "Kuruluşunuz bu bağlantının kendi seçtiği tarayıcıda açılmasını istiyor. Devam etmek için o tarayıcıyı yükleyin."
    case .dialerRequired:
      "Kuruluşunuz bu numaranın kendi seçtiği uygulamayla aranmasını istiyor. Devam etmek için o uygulamayı yükleyin."
    }
  }
}

extension AccountMessage {
  package var turkish: String {
    switch self {
    case .signInTitle: "Oturum açın"
    case .signInMessage: "Kuruluşunuzun verilerini bu uygulamada kullanmak için iş hesabınızla oturum açın."
    case .signInOtherUser: "Başka bir kullanıcı oturum açtı. Lütfen istenen hesapla oturum açın."
    case .signInFailed: "Oturum açtığınız doğrulanamadı. Lütfen yeniden oturum açın."
    case .signInAgain: "Kuruluşunuz, verileri gösterilmeden önce yeniden oturum açmanızı istiyor."
    case .disabledTitle: "Hesap devre dışı"
    case .disabledMessage:
      "İş hesabınız devre dışı bırakıldı. Kuruluşunuzun verileri burada kullanılamaz. Yöneticinizden yardım isteyin."
    case .clockedOutTitle: "Mesai dışındasınız"
    case .clockedOutMessage: "Mesai girişiniz yapılmamış. Kuruluşunuz, verilerinin mesai içinde kullanılmasını istiyor."
    case .offlineTitle: "Bir ağa bağlanın"
    case .offlineBlocked:
      "Bu uygulama çok uzun süre çevrimdışı kaldı. Kuruluşunuzun verilerini kullanmak için bir ağa bağlanın."
    case .offlineSignIn:
      """
      Bu uygulama çok uzun süre çevrimdışı kaldı. Bir ağa bağlanıp oturum açın; aksi halde kuruluşunuzun verileri \
      kaldırılacak.
      """
    case .offlineWipeTitle: "Oturum açın veya verileri kaldırın"
    case .offlineWipeMessage:
      """
      Bu uygulama çok uzun süre çevrimdışı kaldı. Kuruluşunuzun verilerini burada tutmak için oturum açın; kaldırmak \
      için vazgeçin.
      """
    }
  }
}

extension PINMessage {
  package var turkish: String {
    switch self {
    case .setTitle: "PIN belirleyin"
    case .setMessage: "Kuruluşunuzun bu uygulamadaki verilerini koruyacak bir PIN seçin."
    case .setError: "Bu PIN kullanılamaz."
    case .enterTitle: "PIN'inizi girin"
    case .enterMessage: "Kuruluşunuzun verilerini görmek için PIN'inizi girin."
    case .enterError: "PIN yanlış. Yeniden deneyin."
    case .biometricNotAllowed: "Kuruluşunuz şimdi PIN'inizi istiyor. Devam etmek için girin."
    case .changeTitle: "PIN'inizi değiştirin"
    case .changeRequired: "Kuruluşunuzun PIN'ler için yeni kuralları var. Başka bir PIN seçin."
    case .expired: "PIN'inizin süresi doldu. Başka bir PIN seçin."
    case .retriesTitle: "Çok fazla yanlış PIN"
    case .retriesReset: "Çok fazla yanlış PIN girdiniz. Yeni bir PIN seçmek için iş hesabınızla oturum açın."
    case .retriesWipe: "Çok fazla yanlış PIN girildi. Kuruluşunuzun verileri bu uygulamadan kaldırıldı."
    case .simplePIN: "123 gibi ardışık veya 111 gibi yinelenen rakamlara izin verilmiyor."
    case .simplePasscode: "123 veya abc gibi ardışık ya da aaa gibi yinelenen karakterlere izin verilmiyor."
    case .numericNotAllowed: "PIN bir harf veya simge içermelidir."
    case .onlyNumericAllowed: "Yalnızca rakamlara izin veriliyor."
    case .classesRequired: "PIN bir rakam, bir harf ve bir simge içermelidir."
    case .usedBefore: "Bu PIN'i daha önce kullandınız. Başka bir PIN seçin."
    case .lengthRequired: "PIN en az # karakter içermelidir."
    }
  }
}

extension ComplianceMessage {
  package var turkish: String {
    switch self {
    case .compliantTitle: "Hazır"
    case .compliant: "Bu uygulama kuruluşunuzun gereksinimlerini karşılıyor."
    case .notCompliantTitle: "Erişim engellendi"
    case .notCompliant:
      "Kuruluşunuzun bu uygulamadaki hesabınız için bir ilkesi yok. Yöneticinizden bir ilke atamasını isteyin."
    case .serviceFailureTitle: "Erişim denetlenemedi"
    case .serviceFailure: "Kuruluşunuzun ilkesi hesabınıza uygulanamadı. Yöneticinizden yardım isteyin."
    case .networkFailureTitle: "Ağ yok"
    case .networkFailure: "Kuruluşunuzun ilkesi yüklenemedi. Bir ağa bağlanıp yeniden deneyin."
    case .interactionRequiredTitle: "İşlem yapmanız gerekiyor"
    case .interactionRequired: "İş hesabınızı kullanmak için uygulamayı açıp soruyu yanıtlayın."
    case .userCancelledTitle: "Vazgeçildi"
    case .userCancelled: "İşlemden vazgeçtiniz. İş hesabınız bu uygulamada henüz kullanılamaz."
    }
  }
}

extension VersionMessage {
  package var turkish: String {
    switch self {
    case .sdkWarning: "Kuruluşunuz bu uygulamanın korumasının daha yeni bir sürümünü (#) öneriyor."
    case .sdkBlocked:
      """
      Kuruluşunuz bu uygulamanın korumasının daha yeni bir sürümünü (#) gerektiriyor. Devam etmek için uygulamayı \
      güncelleyin.
      """
    case .sdkWiped:
      """
      Uygulamanın koruması kuruluşunuz için çok eski. Kuruluşunuz # sürümünü gerektiriyor ve buradaki verilerini \
      kaldırdı. Uygulamayı güncelleyin.
      """
    case .appWarning: "Kuruluşunuz bu uygulamanın daha yeni bir sürümünü (#) öneriyor."
    case .appBlocked:
      "Kuruluşunuz bu uygulamanın daha yeni bir sürümünü (#) gerektiriyor. Devam etmek için uygulamayı güncelleyin."
    case .appWiped:
      """
      Uygulama kuruluşunuz için çok eski. Kuruluşunuz # sürümünü gerektiriyor ve buradaki verilerini kaldırdı. \
      Uygulamayı güncelleyip yeniden oturum açın.
      """
    case .systemTooLowWarning: "Kuruluşunuz cihaz sisteminin daha yeni bir sürümünü (#) öneriyor."
    case .systemTooLowBlocked:
      "Kuruluşunuz cihaz sisteminin daha yeni bir sürümünü (#) gerektiriyor. Devam etmek için sistemi güncelleyin."
    case .systemTooLowWiped:
      """
      Cihazın sistemi kuruluşunuz için çok eski. Kuruluşunuz # sürümünü gerektiriyor ve buradaki verilerini kaldırdı. \
      Sistemi güncelleyip yeniden oturum açın.
      """
    case .systemTooHighWarning: "Kuruluşunuz cihaz sisteminin daha eski bir sürümünü (#) öneriyor."
    case .systemTooHighBlocked:
      "Kuruluşunuz cihaz sistemini yalnızca # sürümüne kadar destekliyor. Devam etmek için daha eski bir sürüm kullanın."
    case .systemTooHighWiped:
      "Kuruluşunuz cihaz sistemini yalnızca # sürümüne kadar destekliyor ve buradaki verilerini kaldırdı."
    case .updateInPortal: "Güncellemeyi Şirket Portalı'nda bulabilirsiniz."
    case .updateAt: "Güncellemeyi burada bulabilirsiniz: #"
    }
  }
}

extension DeviceMessage {
  package var turkish: String {
    switch self {
    case .rootedTitle: "Cihaz korunmuyor"
    case .rootedMessage:
      "Bu cihazın sistem koruması kırılmış. Kuruluşunuz, verilerinin burada kullanılmasına izin vermiyor."
    case .pinRequiredTitle: "Cihaz PIN'i gerekiyor"
    case .pinRequiredMessage:
      "Kuruluşunuz bu cihazda bir PIN bulunmasını istiyor. Cihazın ayarlarından bir PIN belirleyin."
    case .lockTooWeak: "Kuruluşunuz daha güçlü bir ekran kilidi istiyor. Cihazın ayarlarından bir tane belirleyin."
    case .developerOptions:
      "Kuruluşunuz geliştirici seçeneklerinin açık olmasına izin vermiyor. Bunları cihazın ayarlarından kapatın."
    case .notAttested: "Kuruluşunuz, Samsung Knox tarafından doğrulanmış bir cihaz istiyor; bu cihaz doğrulanmamış."
    case .policyTooNew:
      """
      Kuruluşunuzun ilkesinde bu uygulamanın henüz tanımadığı kurallar var. Uygulamayı güncelleyin veya \
      yöneticinize başvurun.
      """
    case .modelBlocked: "Kuruluşunuz, verilerinin bu tür bir cihazda (#) kullanılmasına izin vermiyor."
    case .modelWiped:
      "Kuruluşunuz, verilerinin bu tür bir cihazda (#) kullanılmasına izin vermiyor. Veriler bu uygulamadan kaldırıldı."
    case .threat:
      "Cihazın tehdit altında olduğu bildirildi. Ne yapmanız gerektiğini görmek için tehdit koruma uygulamanızı açın."
    case .threatDefenseMissing:
      "Kuruluşunuz bu cihazda bir tehdit koruma uygulaması istiyor. Devam etmek için uygulamayı kurun."
    }
  }
}
