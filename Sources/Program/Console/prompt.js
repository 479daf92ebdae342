// The prompts that an app would show: a PIN pad, a sign-in, a warning.

import { h } from "./dom.js";
import { icon } from "./icons.js";
import { button, remark, textField } from "./parts.js";
import { act, changed, failed, takesInventions } from "./state.js";
import { t } from "./text.js";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// The challenge that is open, and the call to repeat when it is answered.
class Prompts {
  open = null;
  #call = null;
  #typed = { pin: "", user: "", token: "" };
  #finished = () => {};

  /// `call` is repeated once the challenge is answered, and `finished` gets its result.
  ask(challenge, call, finished) {
    this.open = challenge;
    this.#call = call;
    this.#finished = finished;
    this.#typed = { pin: "", user: challenge.identity ?? "", token: "" };
    location.hash = "launch";
    changed();
  }

  close() {
    this.open = null;
    changed();
  }

  async answer(values) {
    const challenge = this.open;
    this.#typed.pin = "";
    try {
      const reply = await act("conditionalLaunch.answer", { challenge: challenge.id, ...values });
      if (reply.challenge) {
        this.open = reply.challenge;
        changed();
      } else {
        await this.#repeat();
      }
    } catch (error) {
      this.close();
      failed(error);
    }
  }

  async #repeat() {
    this.close();
    const { method, params } = this.#call;
    try {
      this.#finished(await act(method, params));
    } catch (error) {
      if (error.challenge) this.ask(error.challenge, this.#call, this.#finished);
      else failed(error);
    }
  }

  /// The open challenge as an app would show it, or else what the checks said: null before their first run.
  render(result) {
    const challenge = this.open;
    if (!challenge) return outcome(result);
    return h("div", { class: "phone" },
      h("form", { class: "screen", "aria-labelledby": "prompt-title", onsubmit: (event) => event.preventDefault(),
        "data-key": `prompt-${challenge.id}` },
        h("h2", { id: "prompt-title" }, challenge.title),
        h("p", { role: "status" }, challenge.message),
        this.#content(challenge),
        button(t("cancel"), () => this.answer({ canceled: true }), { kind: "plain" })));
  }

  #content(challenge) {
    if (challenge.verificationUri) return this.#signInElsewhere(challenge);
    if (challenge.kind === "credentials") return this.#signIn(challenge);
    if (challenge.kind === "warning") {
      return button(t("prompt.goOn"), () => this.answer({ accepted: true }), { kind: "main" });
    }
    return this.#pin(challenge);
  }

  #pin(challenge) {
    const typed = this.#typed;
    const set = (pin) => { typed.pin = pin; changed(); };
    const enter = () => typed.pin && this.answer({ pin: typed.pin });
    return [
      h("input", {
        type: "password", class: "pin", "aria-label": t("prompt.pin"), autocomplete: "off", inputmode: "text",
        value: typed.pin, oninput: (event) => set(event.target.value),
        onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); enter(); } } }),
      h("div", { class: "pad", role: "group", "aria-label": t("prompt.pad") },
        DIGITS.map((digit) => button(digit, () => set(typed.pin + digit), { kind: "key" })),
        h("button", { type: "button", class: "button key", "aria-label": t("prompt.erase"), disabled: !typed.pin,
          onclick: () => set(typed.pin.slice(0, -1)) }, icon("back")),
        button("0", () => set(`${typed.pin}0`), { kind: "key" }),
        h("button", { type: "button", class: "button key main", "aria-label": t("prompt.enter"), disabled: !typed.pin,
          onclick: enter }, icon("check"))),
      (challenge.biometrics ?? []).map((biometric) => button(t("prompt.biometric", { biometric }),
        () => this.answer({ biometric }))),
    ];
  }

  /// The challenge ends by itself when the user has signed in at that page; the call then goes on.
  #signInElsewhere(challenge) {
    const { verificationUri, userCode } = challenge;
    return [
      h("a", { href: verificationUri, target: "_blank", rel: "noopener noreferrer" }, verificationUri),
      userCode && h("code", {}, userCode),
      button(t("prompt.goOn"), () => this.#repeat(), { kind: "main" }),
    ];
  }

  #signIn(challenge) {
    const typed = this.#typed;
    const mayInvent = takesInventions();
    const answer = (event) => event.currentTarget.form.reportValidity() && this.answer({
      accessToken: typed.token || "a-token",
      ...(typed.user && { userPrincipalName: typed.user }),
    });
    return [
      textField(t("accounts.user"), "prompt-user", { value: typed.user, required: !challenge.identity,
        oninput: (event) => { typed.user = event.target.value; } }),
      textField(t("prompt.token"), "prompt-token", { type: "password", value: typed.token, required: !mayInvent,
        "aria-describedby": mayInvent ? "prompt-token-hint" : null,
        oninput: (event) => { typed.token = event.target.value; } },
      mayInvent && h("small", { id: "prompt-token-hint" }, t("prompt.tokenHint"))),
      button(t("prompt.signIn"), answer, { kind: "main" }),
    ];
  }
}

/// What the user sees where the app asks nothing: why it does not start, in the words of the rules that say so.
function outcome(result) {
  const reasons = result?.rules.filter((rule) => rule.outcome === result.verdict && rule.message) ?? [];
  const isStopped = ["block", "wipe"].includes(result?.verdict);
  const screen = isStopped
    ? h("div", { class: "screen stopped" }, icon("cross"), h("h2", {}, t(`launch.is.${result.verdict}`)),
      reasons.map(({ message }) => h("p", {}, message)))
    : h("div", { class: "screen idle" }, icon("launch"), remark(t(result ? "prompt.none" : "prompt.notRun")));
  return h("div", { class: "phone" }, screen);
}

export const prompts = new Prompts();
