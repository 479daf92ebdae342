// What a test does to a sandbox, with the methods sandbox.*. Only the page of a sandbox loads this file and its
// neighbors.

import { endOf, run } from "./actions.js";
import { FORMS } from "./drawer.js";
import { h } from "./dom.js";
import { PATHS } from "./icons.js";
import { button, panel, remark, tabs, viewTitle } from "./parts.js";
import { pythonScript, shellScript, transcript } from "./sandbox-export.js";
import { ROWS, SENTENCES } from "./sandbox-labels.js";
import { answers, faults, saves, story } from "./sandbox-run.js";
import { configurations, policies, users } from "./sandbox-tenant.js";
import { changed, failed, setter, state } from "./state.js";
import { extend, t } from "./text.js";
import { timelineCard } from "./timeline.js";

const CHANGES_OF_TENANT = { users, policies, configurations };
const OTHERS = { faults, answers, clock: timelineCard, saves, story };
const LONGEST_STORY = 300;

const view = { tab: "users", contents: null, story: { entries: [], next: 0 }, read: -1 };

/// Adds the view to the page, and makes the record one of a sandbox.
export function join(views) {
  extend(ROWS, SENTENCES);
  PATHS.sandbox = "M3 8h18M5 8v12h14V8M8 8V4h8v4M9 13h6";
  views.sandbox = sandboxView;
  Object.assign(FORMS, { shell: shellScript, python: pythonScript, transcript });
  // A test of a tenant has no sandbox.
  delete FORMS.test;
}

function sandboxView() {
  keepUp();
  const parts = { ...CHANGES_OF_TENANT, ...OTHERS };
  const items = Object.keys(parts).map((part) => [part, t(part === "clock" ? "clock.title" : `sandbox.${part}`)]);
  return [
    viewTitle(t("nav.sandbox"), t("sandbox.about")),
    tabs(t("nav.sandbox"), items, view.tab, setter(view, "tab")),
    panel(view.tab,
      view.tab in CHANGES_OF_TENANT && checkIn(),
      view.contents && parts[view.tab](view.contents, view.story.entries)),
  ];
}

function checkIn() {
  const outcome = (ends) => ends.length > 0 && endOf(ends.find(({ didSucceed }) => !didSucceed) ?? ends[0]);
  return h("div", { class: "tools" },
    remark(t("sandbox.counts")),
    button(t("accounts.checkIn"), () => run("tenant.checkIn", {}, outcome)));
}

/// Reads the contents and the story again once another call has ended.
function keepUp() {
  const ended = state.recorder.entries.filter(({ took }) => took !== undefined).length;
  if (ended === view.read) return;
  view.read = ended;
  read().catch(failed);
}

async function read() {
  const answers = await state.server.batch([["sandbox.contents"], ["sandbox.story", { since: view.story.next }]]);
  const error = answers.find((answer) => answer instanceof Error);
  if (error) throw error;
  const [contents, { entries, next }] = answers;
  // Two readings may overlap.
  const known = view.story.entries.filter(({ number }) => number < (entries[0]?.number ?? Infinity));
  Object.assign(view, { contents, story: { entries: [...known, ...entries].slice(-LONGEST_STORY), next } });
  changed();
}
