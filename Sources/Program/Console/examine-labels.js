// The texts of the view of a phone's log: labels as in labels.js, and sentences.

export const ROWS = `
examine.lines|Lines of a log|Líneas de un registro|Righe di un log|ログの行|Linhas de um log|Günlük satırları
examine.file|Or a file|O un archivo|O un file|またはファイル|Ou um arquivo|Veya bir dosya
examine.examine|Examine|Examinar|Esamina|調べる|Examinar|İncele
`.trimEnd();

export const SENTENCES = {
  "examine.about":
    "Paste lines of a log or a dump of a real phone, whole or cut, or drop a file here. The server keeps nothing of them.",
  "examine.pasted": "The pasted lines",
  "examine.busy": "Reading…",
  "examine.tooLarge": "This has {size} MiB. The console reads up to {most} MiB; the command reads any size.",
  "examine.unreadable": "The browser cannot read {name}. Choose one file, and no folder.",
  "examine.decided": "The cause",
  "examine.undecided": "Not decided by this input",
  "examine.nothing": "Nothing of the SDK",
  "examine.passOn": "Names, ids, hashes and addresses are replaced, so that you can pass this on.",
  "examine.command": "The same in a terminal",
  "examine.commandPasted": "The same in a terminal, with the lines in log.txt",
};
