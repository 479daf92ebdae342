// What the buttons of several views do.

import { notify } from "./notices.js";
import { prompts } from "./prompt.js";
import { act, failed, nameOf } from "./state.js";
import { t } from "./text.js";

/// Makes a call of the user and says how it ended. A challenge opens in the view of the launch checks; `refused` gets any
/// other error. Returns the result, or undefined if the call failed.
export async function run(method, params, outcome = () => null, refused = failed) {
  try {
    const result = await act(method, params);
    say(outcome(result));
    return result;
  } catch (error) {
    if (error.challenge) prompts.ask(error.challenge, { method, params }, (result) => say(outcome(result)));
    else refused(error);
    return undefined;
  }
}

function say(words) {
  if (words) notify(words.text ?? words, words.tone, words.detail);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify(t("copied"));
  } catch {
    notify(t("notCopied"), "bad");
  }
}

/// Lets the browser save a text as a file.
export function save(name, text) {
  const href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/// Prints a card of the view under the view's title, and nothing else.
export function printCard(key) {
  const card = document.querySelector(`[data-key="${key}"]`);
  card.classList.add("printed");
  addEventListener("afterprint", () => card.classList.remove("printed"), { once: true });
  print();
}

/// How an enrollment or a check-in ended.
export function endOf({ status, statusCode, didSucceed, errorString, ...account }) {
  return {
    text: t("status.ended", { account: nameOf(account), code: statusCode, status }),
    tone: didSucceed ? "good" : "warning", detail: errorString,
  };
}
