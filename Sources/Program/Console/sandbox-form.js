// Forms for methods of the sandbox, made from their schemas.

import { run } from "./actions.js";
import { h } from "./dom.js";
import { Form, errorsOf } from "./form.js";
import { titledCard } from "./parts.js";
import { changed, failed, methodOf } from "./state.js";
import { t } from "./text.js";

const INVALID_PARAMS = -32602;
const forms = new Map();

/// What the user has entered for a method: `values` by the names of its parameters, and `errors` by their paths.
function entered(name) {
  if (!forms.has(name)) forms.set(name, { values: {}, errors: {} });
  return forms.get(name);
}

/// Lets the user change values. `values` with null are those that are not set.
export function edit(name, values) {
  const set = Object.entries(structuredClone(values)).filter(([, value]) => value !== null);
  forms.set(name, { values: Object.fromEntries(set), errors: {} });
  changed();
  requestAnimationFrame(() => document.querySelector(`[data-key="${name}"] :is(input, select)`)?.focus());
}

/// A card with a form for the parameters of a method. `choices` has words for parameters that the schema leaves open;
/// `more(form)` renders the parameters in `others`. After a call that succeeds, the form is empty unless it `stays`.
export function methodCard(
  name, { title, action = t("test.apply"), choices = {}, others = [], more = () => null, stays, outcome },
) {
  const form = entered(name);
  const chosen = ({ name, ...rest }) =>
    (choices[name] ? { name, ...rest, schema: { type: "string", enum: choices[name] } } : { name, ...rest });
  const params = methodOf(name).params.filter((parameter) => !others.includes(parameter.name)).map(chosen);
  const submit = async (event) => {
    event.preventDefault();
    form.errors = {};
    const succeeded = (result) => {
      if (!stays) forms.delete(name);
      changed();
      return outcome(result);
    };
    await run(name, structuredClone(form.values), succeeded, (error) => refused(form, error));
  };
  return titledCard(name, title,
    h("form", { class: "stack", onsubmit: submit, novalidate: true },
      new Form({ params }, form.values, { onchange: changed, errors: form.errors }).render(),
      more(form),
      h("div", { class: "actions" }, h("button", { type: "submit", class: "button main" }, action))));
}

/// Says what is wrong with a value and what to do about it beside its field.
function refused(form, error) {
  if (error.code === INVALID_PARAMS) {
    const hint = error.data.hint ? `. ${error.data.hint}` : "";
    form.errors = Object.fromEntries(Object.entries(errorsOf(error)).map(([path, text]) => [path, text + hint]));
  }
  if (Object.keys(form.errors).length === 0) failed(error);
  changed();
}
