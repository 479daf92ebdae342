// The checks before an app shows work data, and the prompts that they lead to.

import { h } from "./dom.js";
import { valueText } from "./format.js";
import { notify } from "./notices.js";
import { badge, breakable, button, card, choice, empty, remark, toneOf, viewTitle } from "./parts.js";
import { prompts } from "./prompt.js";
import { act, changed, choose, failed, people, state } from "./state.js";
import { hasText, t } from "./text.js";

const WINDOW = "console";
const view = { results: new Map() };

export function launchView() {
  const result = view.results.get(state.account);
  return [
    viewTitle(t("nav.launch"), t("launch.about")),
    h("div", { class: "tools" },
      choice(t("account"), people(), state.account, choose, "launch-account"),
      h("div", { class: "actions" },
        button(t("launch.evaluate"), () => evaluate(state.account), { kind: "main" }),
        button(t("launch.open"), () => openWindow(state.account)))),
    h("div", { class: "split launch" },
      h("div", { class: "stack" }, result ? verdict(result) : empty(t("launch.none"))),
      h("div", { class: "stage" }, prompts.render(result))),
  ];
}

async function evaluate(account) {
  const params = { account };
  const show = (result) => {
    view.results.set(account, result);
    changed();
    if (result.challenges[0]) prompts.ask(result.challenges[0], { method: "conditionalLaunch.evaluate", params }, show);
    else prompts.close();
  };
  await sayingFailures(async () => show(await act("conditionalLaunch.evaluate", params)));
}

/// Shows an account in a window: the checks run, and the user answers what they ask.
async function openWindow(account) {
  const params = { account, window: WINDOW };
  const call = { method: "policyManager.setUIPolicyIdentity", params };
  const finished = (result) => notify(t(`launch.${result}`, { account }), result === "success" ? "good" : "warning");
  const asked = (challenge) => prompts.ask(challenge, call, finished);
  await sayingFailures(async () => finished(await act(call.method, params)), asked);
}

async function sayingFailures(work, asked = () => {}) {
  try {
    await work();
  } catch (error) {
    if (error.challenge) asked(error.challenge);
    else failed(error);
  }
}

/// Whether the checks let the account in once the user has answered.
function isAsking({ verdict, rules }) {
  const outcomes = rules.map(({ outcome }) => outcome);
  return verdict === "block" && outcomes.includes("challenge") && !outcomes.includes("block");
}

export const launchTone = (result) => (isAsking(result) ? "warning" : toneOf(result.verdict));

function verdict(result) {
  const { verdict, rules } = result;
  return card({ "data-key": "launch-verdict", class: `verdict is-${launchTone(result)}`, "aria-labelledby": "launch-title" },
    h("div", { role: "status" }, h("h2", { id: "launch-title" }, t(`launch.is.${isAsking(result) ? "asks" : verdict}`))),
    remark(state.account),
    rules.length === 0 && h("p", {}, t("launch.noRules")),
    h("ul", { class: "rows" }, rules.map((rule) => h("li", { class: "row", "data-key": rule.setting },
      h("div", { class: "what" }, h("p", {}, rule.text),
        remark(h("code", {}, breakable(rule.setting)), " ", valueText(rule.value),
          rule.actual !== null && ` · ${t("launch.actual", { value: valueText(rule.actual) })}`)),
      badge(toneOf(rule.outcome), outcomeText(rule.outcome))))));
}

const outcomeText = (outcome) => (hasText(`verdict.${outcome}`) ? t(`verdict.${outcome}`) : t(`outcome.${outcome}`));
