// The labels in the six languages of the messages: one row for each, in the order of LANGUAGES.

export const LANGUAGES = {
  en: "English", es: "Español", it: "Italiano", ja: "日本語", pt: "Português", tr: "Türkçe",
};

const TABLE = `
nav.accounts|Accounts|Cuentas|Account|アカウント|Contas|Hesaplar
nav.policy|Policy|Directiva|Criteri|ポリシー|Política|İlke
nav.ask|Ask|Preguntar|Domande|質問|Perguntar|Sor
nav.device|Device and time|Dispositivo y hora|Dispositivo e ora|デバイスと時刻|Dispositivo e hora|Cihaz ve zaman
nav.launch|Launch|Arranque|Avvio|起動|Inicialização|Başlatma
nav.activity|Events and log|Eventos y registro|Eventi e log|イベントとログ|Eventos e log|Olaylar ve günlük
nav.diagnostics|Diagnostics|Diagnóstico|Diagnostica|診断|Diagnóstico|Tanılama
diagnostics.search|Search the report|Buscar en el informe|Cerca nel rapporto|レポートを検索|Pesquisar no relatório|Raporda ara
nav.examine|Phone log|Registro del teléfono|Log del telefono|スマホのログ|Log do telefone|Telefon günlüğü
skip|Skip to the content|Ir al contenido|Vai al contenuto|本文へ移動|Ir para o conteúdo|İçeriğe geç
views|Views|Vistas|Viste|ビュー|Exibições|Görünümler
language|Language|Idioma|Lingua|言語|Idioma|Dil
theme|Light or dark|Claro u oscuro|Chiaro o scuro|ライトまたはダーク|Claro ou escuro|Açık veya koyu
copy|Copy|Copiar|Copia|コピー|Copiar|Kopyala
save|Save|Guardar|Salva|保存|Salvar|Kaydet
print|Print|Imprimir|Stampa|印刷|Imprimir|Yazdır
copied|Copied.|Copiado.|Copiato.|コピーしました。|Copiado.|Kopyalandı.
live|Live|Estado real|Reale|実環境|Real|Canlı
throwaway|Throw-away copy|Copia desechable|Copia temporanea|使い捨てコピー|Cópia descartável|Geçici kopya
account|Account|Cuenta|Account|アカウント|Conta|Hesap
cancel|Cancel|Cancelar|Annulla|キャンセル|Cancelar|İptal
close|Close|Cerrar|Chiudi|閉じる|Fechar|Kapat
yes|yes|sí|sì|はい|sim|evet
no|no|no|no|いいえ|não|hayır
never|never|nunca|mai|なし|nunca|hiç
justNow|just now|ahora mismo|adesso|たった今|agora mesmo|şimdi
notSet|not set|sin definir|non impostato|未設定|não definido|ayarlanmamış
emptyList|none|ninguno|nessuno|なし|nenhum|yok
found|Found: {count}|Encontradas: {count}|Trovate: {count}|検索結果: {count}|Encontradas: {count}|Bulunan: {count}
token.address|Address|Dirección|Indirizzo|アドレス|Endereço|Adres
token.open|Open|Abrir|Apri|開く|Abrir|Aç
accounts.launch|launch: {verdict}|arranque: {verdict}|avvio: {verdict}|起動: {verdict}|inicialização: {verdict}|başlatma: {verdict}
accounts.testPolicy|test policy|directiva de prueba|criteri di prova|テストポリシー|política de teste|test ilkesi
accounts.lastResult|Last result|Último resultado|Ultimo risultato|前回の結果|Último resultado|Son sonuç
accounts.checkedIn|Last check-in|Última sincronización|Ultimo check-in|前回のチェックイン|Último check-in|Son iletişim
accounts.next|Next check-in|Próxima sincronización|Prossimo check-in|次回のチェックイン|Próximo check-in|Sonraki iletişim
accounts.enrolled|Enrolled|Inscrita|Registrato|登録日時|Inscrita|Kaydoldu
accounts.policies|Policies that apply: {applied} of {all}|Directivas que se aplican: {applied} de {all}|Criteri applicati: {applied} di {all}|ポリシー: {all} 件中 {applied} 件を適用|Políticas que se aplicam: {applied} de {all}|İlkeler: {all} içinden {applied} geçerli
accounts.applies|applies|se aplica|applicato|適用|se aplica|geçerli
accounts.appliesNot|does not apply|no se aplica|non applicato|適用外|não se aplica|geçerli değil
accounts.checkIn|Check in|Sincronizar|Check-in|チェックイン|Fazer check-in|İletişim kur
accounts.tryAgain|Try again|Reintentar|Riprova|再試行|Tentar de novo|Yeniden dene
accounts.enroll|Enroll|Inscribir|Registra|登録|Inscrever|Kaydet
accounts.signIn|Sign in and enroll|Iniciar sesión e inscribir|Accedi e registra|サインインして登録|Entrar e inscrever|Oturum aç ve kaydet
accounts.others|Not registered|No registradas|Non registrati|未登録|Não registradas|Kayıtlı değil
accounts.user|User|Usuario|Utente|ユーザー|Usuário|Kullanıcı
accounts.licensed|License|Licencia|Licenza|ライセンス|Licença|Lisans
accounts.groups|Groups|Grupos|Gruppi|グループ|Grupos|Gruplar
accounts.action|Action|Acción|Azione|操作|Ação|İşlem
accounts.hasLicense|licensed|con licencia|con licenza|あり|com licença|lisanslı
accounts.noLicense|no license|sin licencia|senza licenza|なし|sem licença|lisanssız
accounts.disabled|disabled|deshabilitado|disabilitato|無効|desabilitado|devre dışı
accounts.another|Another account|Otra cuenta|Un altro account|別のアカウント|Outra conta|Başka bir hesap
life.registered|registered|registrada|in attesa di registrazione|登録待ち|registrada|kayıt bekliyor
life.enrolling|enrolling|inscribiendo|in registrazione|登録中|inscrevendo|kaydediliyor
life.enrolled|enrolled|inscrita|registrato|登録済み|inscrita|kaydoldu
life.retrying|retrying|reintentando|nuovo tentativo|再試行中|tentando de novo|yeniden deneniyor
life.offline|offline|sin conexión|offline|オフライン|offline|çevrimdışı
life.blocked|blocked|bloqueada|bloccato|ブロック中|bloqueada|engellendi
life.wiping|wiping|borrando|in cancellazione|消去中|apagando|siliniyor
life.unenrolled|unenrolled|no inscrita|non registrato|登録解除済み|não inscrita|kaydı silindi
verdict.allow|allow|permitir|consenti|許可|permitir|izin ver
verdict.warn|warn|avisar|avvisa|警告|avisar|uyar
verdict.block|block|bloquear|blocca|ブロック|bloquear|engelle
verdict.wipe|wipe|borrar|cancella|消去|apagar|sil
leave.deregister|Deregister|Anular registro|Rimuovi registrazione|登録解除|Remover registro|Kaydı sil
leave.wipe|Wipe|Borrar datos|Cancella dati|データを消去|Apagar dados|Verileri sil
policy.settings|Settings|Opciones|Impostazioni|設定|Configurações|Ayarlar
policy.compare|Compare|Comparar|Confronta|比較|Comparar|Karşılaştır
policy.search|Search the settings|Buscar opciones|Cerca impostazioni|設定を検索|Buscar configurações|Ayarlarda ara
policy.summary|In short|En resumen|In breve|概要|Em resumo|Kısaca
policy.setting|Setting|Opción|Impostazione|設定|Configuração|Ayar
policy.merged|several policies|varias directivas|più criteri|複数のポリシー|várias políticas|birden çok ilke
policy.overridden|Overridden: {count}|Anuladas: {count}|Sostituiti: {count}|上書きされた値: {count}|Substituídas: {count}|Geçersiz kılınan: {count}
group.transfer|Data transfer|Transferencia de datos|Trasferimento dati|データ転送|Transferência de dados|Veri aktarımı
group.links|Links|Vínculos|Collegamenti|リンク|Links|Bağlantılar
group.access|Access|Acceso|Accesso|アクセス|Acesso|Erişim
group.launch|Conditional launch|Inicio condicional|Avvio condizionale|条件付き起動|Inicialização condicional|Koşullu başlatma
group.android|Android only|Solo Android|Solo Android|Android のみ|Somente Android|Yalnızca Android
test.try|Try other settings|Probar otras opciones|Prova altre impostazioni|別の設定を試す|Testar outras configurações|Başka ayarlar dene
test.clear|End the test policy|Terminar la prueba|Termina la prova|テストを終了|Encerrar o teste|Testi bitir
test.settings|Settings as JSON|Opciones en JSON|Impostazioni in JSON|JSON の設定|Configurações em JSON|JSON olarak ayarlar
test.apply|Apply|Aplicar|Applica|適用|Aplicar|Uygula
compare.left|This|Esta|Questo|比較元|Esta|Bu
compare.right|With|Con|Con|比較先|Com|Şununla
compare.now|{account}, now|{account}, ahora|{account}, ora|{account}、現在|{account}, agora|{account}, şimdi
compare.onlyDifferences|Only differences|Solo diferencias|Solo differenze|相違点のみ|Somente diferenças|Yalnızca farklar
ask.questions|Questions and actions|Preguntas y acciones|Domande e azioni|質問と操作|Perguntas e ações|Sorular ve işlemler
ask.search|Search the questions|Buscar preguntas|Cerca domande|質問を検索|Buscar perguntas|Sorularda ara
ask.ask|Ask|Preguntar|Chiedi|質問する|Perguntar|Sor
ask.answer|Answer|Respuesta|Risposta|回答|Resposta|Yanıt
ask.because|Why|Por qué|Perché|理由|Por quê|Neden
ask.changes|What would have to change|Qué tendría que cambiar|Che cosa dovrebbe cambiare|必要な変更|O que teria de mudar|Ne değişmeli
ask.assuming|Assume other settings|Suponer otras opciones|Supponi altre impostazioni|別の設定を仮定|Supor outras configurações|Başka ayarlar varsay
ask.assumingCount|Assumed settings: {count}|Opciones supuestas: {count}|Impostazioni supposte: {count}|仮定した設定: {count}|Configurações supostas: {count}|Varsayılan ayarlar: {count}
ask.assumeNothing|Assume nothing|No suponer nada|Non supporre nulla|仮定しない|Não supor nada|Hiçbir şey varsayma
ask.assumeThis|Assume this|Suponer esto|Supponi questo|これを仮定|Supor isto|Bunu varsay
step.managed|Managed|Administrada|Gestito|管理対象|Gerenciada|Yönetilen
step.lockDown|Several accounts|Varias cuentas|Più account|複数のアカウント|Várias contas|Birden çok hesap
step.rule|Rule|Regla|Regola|ルール|Regra|Kural
form.more|More parameters|Más parámetros|Altri parametri|その他の引数|Mais parâmetros|Diğer parametreler
form.required|required|obligatorio|obbligatorio|必須|obrigatório|gerekli
form.notGiven|not given|sin indicar|non indicato|指定なし|não informado|verilmedi
form.choose|Choose…|Elegir…|Scegli…|選択…|Escolher…|Seçin…
form.add|Add|Agregar|Aggiungi|追加|Adicionar|Ekle
form.remove|Remove|Quitar|Rimuovi|削除|Remover|Kaldır
device.title|Device|Dispositivo|Dispositivo|デバイス|Dispositivo|Cihaz
device.notReported|not reported|sin informar|non indicato|未報告|não informado|bildirilmedi
device.networkAvailable|Network|Red|Rete|ネットワーク|Rede|Ağ
device.jailbroken|Jailbroken|Con jailbreak|Jailbreak|脱獄済み|Com jailbreak|Jailbreak
device.devicePinSet|Device PIN|PIN del dispositivo|PIN del dispositivo|デバイスの PIN|PIN do dispositivo|Cihaz PIN'i
device.platform|Platform|Plataforma|Piattaforma|プラットフォーム|Plataforma|Platform
device.threatLevel|Threat level|Nivel de amenaza|Livello di minaccia|脅威レベル|Nível de ameaça|Tehdit düzeyi
device.osVersion|OS version|Versión del sistema|Versione del sistema|OS のバージョン|Versão do sistema|Sistem sürümü
device.appVersion|App version|Versión de la app|Versione dell'app|アプリのバージョン|Versão do app|Uygulama sürümü
device.sdkVersion|SDK version|Versión del SDK|Versione dell'SDK|SDK のバージョン|Versão do SDK|SDK sürümü
device.manufacturer|Manufacturer|Fabricante|Produttore|製造元|Fabricante|Üretici
device.model|Model|Modelo|Modello|モデル|Modelo|Model
device.managedAppSchemes|URL schemes of managed apps|Esquemas de apps administradas|Schemi delle app gestite|管理対象アプリの URL スキーム|Esquemas de apps gerenciados|Yönetilen uygulama şemaları
clock.title|Clock|Reloj|Orologio|時計|Relógio|Saat
clock.due|What falls due|Qué vence|Che cosa scade|期限が来る項目|O que vence|Zamanı gelenler
clock.target|How far to move the clock|Cuánto adelantar el reloj|Di quanto spostare l'orologio|時計を進める長さ|Quanto adiantar o relógio|Saat ne kadar ilerlesin
clock.in|in {length}|en {length}|tra {length}|{length}後|em {length}|{length} sonra
clock.after|after {length}|tras {length}|dopo {length}|{length}後|após {length}|{length} sonra
clock.way|On the way: {length}|Durante: {length}|Durante: {length}|経過中: {length}|Durante: {length}|Bu sürede: {length}
clock.nothing|Nothing falls due.|No vence nada.|Non scade nulla.|期限が来る項目はありません。|Nada vence.|Zamanı gelen yok.
clock.go|Move by {length}|Adelantar {length}|Sposta di {length}|{length}進める|Adiantar {length}|{length} ilerlet
clock.next|To the next: {length}|Al siguiente: {length}|Al prossimo: {length}|次へ: {length}|Ao próximo: {length}|Sonrakine: {length}
clock.passed|What happened|Qué pasó|Che cosa è successo|起きたこと|O que aconteceu|Neler oldu
clock.quiet|Nothing happened.|No pasó nada.|Non è successo nulla.|何も起きませんでした。|Nada aconteceu.|Bir şey olmadı.
clock.offline|Offline for 91 days|91 días sin conexión|Offline per 91 giorni|91 日間オフライン|91 dias offline|91 gün çevrimdışı
clock.offlineGo|Go offline|Desconectar|Vai offline|オフラインにする|Ficar offline|Çevrimdışı ol
launch.evaluate|Run the checks|Ejecutar comprobaciones|Esegui i controlli|チェックを実行|Executar verificações|Denetimleri çalıştır
launch.open|Open a window|Abrir una ventana|Apri una finestra|ウィンドウを開く|Abrir uma janela|Pencere aç
launch.actual|is {value}|es {value}|è {value}|現在 {value}|é {value}|şu an {value}
outcome.passed|passed|superada|superato|合格|aprovada|geçti
outcome.accepted|accepted|aceptada|accettato|承認済み|aceita|kabul edildi
outcome.notApplicable|not applicable|no aplicable|non applicabile|対象外|não aplicável|geçerli değil
outcome.challenge|asks|pregunta|chiede|確認|pergunta|sorar
prompt.pad|Digits|Dígitos|Cifre|数字|Dígitos|Rakamlar
prompt.erase|Erase|Borrar|Cancella|1 文字削除|Apagar|Sil
prompt.enter|Enter|Aceptar|Invio|入力|Confirmar|Gir
prompt.goOn|Continue|Continuar|Continua|続ける|Continuar|Devam
prompt.biometric|Use {biometric}|Usar {biometric}|Usa {biometric}|{biometric} を使う|Usar {biometric}|{biometric} kullan
prompt.token|Token|Token|Token|トークン|Token|Belirteç
prompt.signIn|Sign in|Iniciar sesión|Accedi|サインイン|Entrar|Oturum aç
activity.events|Events|Eventos|Eventi|イベント|Eventos|Olaylar
activity.log|Log|Registro|Log|ログ|Log|Günlük
activity.type|Type|Tipo|Tipo|種類|Tipo|Tür
activity.all|all|todos|tutti|すべて|todos|tümü
activity.level|From level|Desde el nivel|Dal livello|最低レベル|A partir do nível|En düşük düzey
activity.filter|Filter|Filtrar|Filtra|絞り込み|Filtrar|Süz
activity.pause|Pause|Pausar|Pausa|一時停止|Pausar|Duraklat
activity.clear|Clear|Vaciar|Svuota|クリア|Limpar|Temizle
activity.waiting|Paused. New: {count}|En pausa. Nuevos: {count}|In pausa. Nuovi: {count}|一時停止中。新規: {count}|Pausado. Novos: {count}|Duraklatıldı. Yeni: {count}
activity.count|{found} of {all}|{found} de {all}|{found} di {all}|{all} 件中 {found} 件|{found} de {all}|{all} içinden {found}
activity.none|Nothing yet.|Nada todavía.|Ancora nulla.|まだありません。|Nada ainda.|Henüz yok.
activity.content|Content|Contenido|Contenuto|内容|Conteúdo|İçerik
activity.cause|caused by {cause}|causado por {cause}|causato da {cause}|原因: {cause}|causado por {cause}|nedeni: {cause}
record.open|Record|Grabación|Registrazione|記録|Gravação|Kayıt
record.title|Recorded calls|Llamadas grabadas|Chiamate registrate|記録した呼び出し|Chamadas gravadas|Kaydedilen çağrılar
record.calls|Calls|Llamadas|Chiamate|呼び出し|Chamadas|Çağrılar
record.transcript|Transcript|Transcripción|Trascrizione|トランスクリプト|Transcrição|Döküm
record.test|Test|Prueba|Test|テスト|Teste|Test
record.none|No calls yet.|Aún no hay llamadas.|Ancora nessuna chiamata.|まだ呼び出しはありません。|Nenhuma chamada ainda.|Henüz çağrı yok.
record.events|events: {count}|eventos: {count}|eventi: {count}|イベント: {count}|eventos: {count}|olaylar: {count}
record.params|Parameters|Parámetros|Parametri|引数|Parâmetros|Parametreler
record.running|running|en curso|in corso|実行中|em andamento|sürüyor
record.done|done|hecho|fatto|完了|feito|tamam
record.clear|Start again|Empezar de nuevo|Ricomincia|やり直す|Recomeçar|Yeniden başla
`;

/// The labels of one language, by their keys. `more` has rows like those of the table.
export function labels(language, more = "") {
  const column = Object.keys(LANGUAGES).indexOf(language) + 1;
  return new Map((TABLE + more).trim().split("\n").map((row) => row.split("|")).map((cells) => [cells[0], cells[column]]));
}
