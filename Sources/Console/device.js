// The device that the policy's rules compare with, and the clock.

import { run } from "./actions.js";
import { h } from "./dom.js";
import { resolved } from "./form.js";
import { card, choice, toggle } from "./parts.js";
import { methodOf, state } from "./state.js";
import { t } from "./text.js";
import { timelineCard } from "./timeline.js";

const SWITCHES = ["networkAvailable", "jailbroken", "devicePinSet"];
const TEXTS = ["osVersion", "appVersion", "sdkVersion", "manufacturer", "model"];

const set = (name, value) => run("device.set", { [name]: value }, () => t("device.changed"));
const words = (wanted) => resolved(methodOf("device.set").params.find(({ name }) => name === wanted).schema).enum;

export function deviceView() {
  return [
    h("header", { class: "title" },
      h("h1", {}, t("nav.device")),
      h("p", { class: "note" }, t("device.about"))),
    timelineCard(),
    card({ "aria-labelledby": "device-title", "data-key": "device" },
      h("h2", { id: "device-title" }, t("device.title")),
      h("div", { class: "switches" }, SWITCHES.map((name) => toggle(t(`device.${name}`), state.device[name],
        (on) => set(name, on), { hint: t(`device.${name}.hint`) }))),
      h("div", { class: "grid" },
        choice(t("device.platform"), words("platform"), state.device.platform, (value) => set("platform", value),
          { id: "device-platform" }),
        choice(t("device.threatLevel"), words("threatLevel"), state.device.threatLevel,
          (value) => set("threatLevel", value), { id: "device-threat" }),
        TEXTS.map(text), schemes())),
  ];
}

function text(name) {
  const id = `device-${name}`;
  return h("div", { class: "field" },
    h("label", { for: id }, t(`device.${name}`)),
    h("input", { id, type: "text", autocomplete: "off", spellcheck: "false", value: state.device[name] ?? "",
      placeholder: t("device.notReported"), onchange: (event) => set(name, event.target.value.trim()) }));
}

function schemes() {
  const change = (event) => set("managedAppSchemes", event.target.value.split(/[\s,]+/).filter(Boolean));
  return h("div", { class: "field" },
    h("label", { for: "device-schemes" }, t("device.managedAppSchemes")),
    h("input", { id: "device-schemes", type: "text", autocomplete: "off", spellcheck: "false",
      value: state.device.managedAppSchemes.join(", "), placeholder: t("emptyList"), onchange: change }));
}
