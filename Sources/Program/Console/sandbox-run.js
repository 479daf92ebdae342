// What happens in a sandbox: faults, the answers of the user, saves, and the story.

import { copy, run } from "./actions.js";
import { h } from "./dom.js";
import { exact, shortTime } from "./format.js";
import { confirm, notify } from "./notices.js";
import { button, empty, remark, titledCard } from "./parts.js";
import { methodCard } from "./sandbox-form.js";
import { act, failed, now, state } from "./state.js";
import { t } from "./text.js";

/// The newest events, whatever their numbers are.
const NEWEST = { after: Number.MAX_SAFE_INTEGER - 1, limit: 1 };

export function faults() {
  const clear = () => run("sandbox.clearFaults", {}, () => t("sandbox.noFault"));
  return [
    methodCard("sandbox.fault", {
      title: t("sandbox.faults"), stays: true, outcome: () => t("sandbox.faultSet"),
      more: () => remark(t("sandbox.faultsAbout")) }),
    h("div", { class: "actions" }, button(t("sandbox.clearFaults"), clear)),
  ];
}

export function answers() {
  return methodCard("sandbox.answer", {
    title: t("sandbox.answers"), stays: true, outcome: () => t("sandbox.answered"),
    more: () => remark(t("sandbox.answersAbout")) });
}

export function saves(contents) {
  return [
    titledCard("sandbox-saves", t("sandbox.saves"),
      contents.saves.length === 0 ? remark(t("sandbox.noSaves"))
        : h("ul", { class: "rows" }, contents.saves.map((name) => h("li", { class: "row", "data-key": `save-${name}` },
          h("strong", { class: "what" }, name),
          button(t("sandbox.restore"), () => goBack("sandbox.restore", { name }),
            { "aria-label": `${t("sandbox.restore")}: ${name}` })))),
      h("div", { class: "actions" }, button(t("sandbox.reset"), reset, { kind: "danger" }))),
    methodCard("sandbox.save", {
      title: t("sandbox.save"), action: t("save"), outcome: () => t("sandbox.saved") }),
    methodCard("sandbox.export", {
      title: t("sandbox.export"), action: t("sandbox.export"), outcome: () => t("sandbox.exported") }),
  ];
}

async function reset() {
  const agreed = await confirm({
    title: t("sandbox.resetTitle"), text: t("sandbox.resetText"), action: t("sandbox.reset") });
  if (agreed) await goBack("sandbox.reset");
}

/// Brings back another state, whose events have numbers of their own.
async function goBack(method, params = {}) {
  try {
    await act(method, params);
    state.newest = (await state.server.call("events.list", NEWEST)).next;
    notify(t("clock.moved", { time: `${exact(now())} UTC` }));
  } catch (error) {
    failed(error);
  }
}

export function story(contents, entries) {
  const report = async (part) => {
    const found = await state.server.call("sandbox.report").catch(failed);
    if (found) await copy(found[part]);
  };
  return titledCard("sandbox-story", t("sandbox.story"),
    h("div", { class: "actions" },
      button(t("copy"), () => report("story"), { symbol: "copy" }),
      button(t("sandbox.copyReplay"), () => report("replay"), { symbol: "copy" })),
    entries.length === 0 ? empty(t("clock.quiet"))
      : h("ol", { class: "steps" }, entries.toReversed().map(({ number, time, text, because }) =>
        h("li", { "data-key": `story-${number}` },
          h("span", { class: "kind" }, shortTime(time)),
          h("div", {}, h("p", {}, text), because.map((reason) => h("small", {}, reason)))))));
}
