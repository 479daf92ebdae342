// The device that the policy's rules compare with, and the clock.

import { run } from "./actions.js";
import { h } from "./dom.js";
import { resolved } from "./form.js";
import { choice, textField, titledCard, toggle, viewTitle } from "./parts.js";
import { methodOf, state } from "./state.js";
import { t } from "./text.js";
import { timelineCard } from "./timeline.js";

const SWITCHES = ["networkAvailable", "jailbroken", "devicePinSet"];
const TEXTS = ["osVersion", "appVersion", "sdkVersion", "manufacturer", "model"];

const set = (name, value) => run("device.set", { [name]: value }, () => t("device.changed"));
const words = (wanted) => resolved(methodOf("device.set").params.find(({ name }) => name === wanted).schema).enum;

export function deviceView() {
  return [
    viewTitle(t("nav.device"), t("device.about")),
    timelineCard(),
    titledCard("device", t("device.title"),
      h("div", { class: "switches" }, SWITCHES.map((name) => toggle(t(`device.${name}`), state.device[name],
        (on) => set(name, on), t(`device.${name}.hint`)))),
      h("div", { class: "grid" },
        choice(t("device.platform"), words("platform"), state.device.platform, (value) => set("platform", value),
          "device-platform"),
        choice(t("device.threatLevel"), words("threatLevel"), state.device.threatLevel,
          (value) => set("threatLevel", value), "device-threat"),
        TEXTS.map(text), schemes())),
  ];
}

function text(name) {
  const id = `device-${name}`;
  return textField(t(`device.${name}`), id, { value: state.device[name] ?? "",
    placeholder: t("device.notReported"), onchange: (event) => set(name, event.target.value.trim()) });
}

function schemes() {
  const change = (event) => set("managedAppSchemes", event.target.value.split(/[\s,]+/).filter(Boolean));
  return textField(t("device.managedAppSchemes"), "device-schemes", {
    value: state.device.managedAppSchemes.join(", "), placeholder: t("emptyList"), onchange: change });
}
