// The texts of a sandbox's page: labels as in labels.js, and sentences. Some take the place of those of a copy.

export const ROWS = `
nav.sandbox|Sandbox|Sandbox|Sandbox|サンドボックス|Sandbox|Sandbox
throwaway|Sandbox|Sandbox|Sandbox|サンドボックス|Sandbox|Sandbox
sandbox.users|Users|Usuarios|Utenti|ユーザー|Usuários|Kullanıcılar
sandbox.policies|Policies|Directivas|Criteri|ポリシー|Políticas|İlkeler
sandbox.configurations|Configurations|Configuraciones|Configurazioni|アプリ構成|Configurações de apps|Yapılandırmalar
sandbox.faults|Faults|Fallos|Guasti|障害|Falhas|Arızalar
sandbox.answers|Answers of the user|Respuestas del usuario|Risposte dell'utente|ユーザーの応答|Respostas do usuário|Kullanıcının yanıtları
sandbox.saves|Saves|Puntos guardados|Salvataggi|保存した状態|Pontos salvos|Kaydedilenler
sandbox.story|Story|Historia|Cronaca|経過|História|Öykü
sandbox.edit|Edit|Editar|Modifica|編集|Editar|Düzenle
sandbox.setUser|Add or change a user|Agregar o cambiar un usuario|Aggiungi o modifica un utente|ユーザーの追加と変更|Adicionar ou alterar um usuário|Kullanıcı ekle veya değiştir
sandbox.setPolicy|Add or change a policy|Agregar o cambiar una directiva|Aggiungi o modifica un criterio|ポリシーの追加と変更|Adicionar ou alterar uma política|İlke ekle veya değiştir
sandbox.setConfiguration|Add or change a configuration|Agregar o cambiar una configuración|Aggiungi o modifica una configurazione|アプリ構成の追加と変更|Adicionar ou alterar uma configuração|Yapılandırma ekle veya değiştir
sandbox.allowed|Accounts that may enroll|Cuentas que pueden inscribirse|Account che possono registrarsi|登録できるアカウント|Contas que podem ser inscritas|Kaydolabilecek hesaplar
sandbox.everyAccount|every account|todas las cuentas|tutti gli account|すべてのアカウント|todas as contas|tüm hesaplar
sandbox.everyApp|every app|todas las aplicaciones|tutte le app|すべてのアプリ|todos os aplicativos|tüm uygulamalar
sandbox.nobody|nobody|nadie|nessuno|対象者なし|ninguém|hiç kimse
sandbox.count|Settings: {count}|Opciones: {count}|Impostazioni: {count}|設定: {count}|Configurações: {count}|Ayarlar: {count}
sandbox.key|Key|Clave|Chiave|キー|Chave|Anahtar
sandbox.wipe|Order a wipe|Ordenar un borrado|Ordina una cancellazione|データの消去を指示|Ordenar um apagamento|Silme emri ver
sandbox.clearFaults|Clear the faults|Quitar los fallos|Rimuovi i guasti|障害を解除|Limpar as falhas|Arızaları temizle
sandbox.save|Save under a name|Guardar con un nombre|Salva con un nome|名前を付けて保存|Salvar com um nome|Bir adla kaydet
sandbox.restore|Restore|Restaurar|Ripristina|復元|Restaurar|Geri yükle
sandbox.reset|Reset|Restablecer|Reimposta|リセット|Redefinir|Sıfırla
sandbox.export|Export|Exportar|Esporta|エクスポート|Exportar|Dışa aktar
sandbox.copyReplay|Copy the replay|Copiar la repetición|Copia la ripetizione|再現スクリプトをコピー|Copiar a repetição|Yinelemeyi kopyala
`.trimEnd();

export const SENTENCES = {
  "source.folder": "Policies come from the tenant of the sandbox.",
  "record.about":
    "Every click is a call that any program can make. Replayed in a new sandbox, each gets the same answer.",
  "record.aboutCopy":
    "Every click is a call that any program can make. The sandbox had changed before: a replay needs its export.",

  "sandbox.about":
    "Change the tenant as an administrator does, and decide what happens. All of it ends with the command.",
  "sandbox.counts": "Changes count at the next check-in.",
  "sandbox.changed": "The tenant has changed.",
  "sandbox.noUsers": "The tenant has no users yet.",
  "sandbox.noPolicies": "The tenant has no policies yet.",
  "sandbox.noConfigurations": "The tenant has no app configurations yet.",
  "sandbox.wipeOrdered": "The wipe arrives at the next check-in.",
  "sandbox.faultsAbout": "A fault happens as often as you say, or until you clear the faults.",
  "sandbox.faultSet": "The fault is set.",
  "sandbox.noFault": "No fault is left.",
  "sandbox.answersAbout": "What the user answers from now on. Without it, a question ends the call.",
  "sandbox.answered": "The user answers so from now on.",
  "sandbox.noSaves": "Nothing is saved yet.",
  "sandbox.saved": "The sandbox is saved.",
  "sandbox.exported": "The export is written.",
  "sandbox.resetTitle": "Go back to the beginning?",
  "sandbox.resetText": "State, tenant and time become what the sandbox began with. Saves stay.",
};
