// A form for the parameters of a method, made from its schema.

import { h } from "./dom.js";
import { button, remark } from "./parts.js";
import { people, state } from "./state.js";
import { t } from "./text.js";

/// Members that few questions need. They are behind a click.
const RARE = new Set(["thread", "window", "accounts", "keyboard"]);

/// A schema without references, and without the alternatives null and number that every enumeration has.
export function resolved(schema) {
  if (schema.$ref) return { name: schema.$ref.split("/").at(-1), ...resolved(target(schema.$ref)) };
  const { anyOf, allOf, ...rest } = schema;
  if (allOf) return { ...resolved(allOf[0]), ...rest };
  if (!anyOf) return schema;
  const variants = anyOf.map(resolved);
  const useful = variants.filter((variant) => variant.type !== "null");
  const best = useful.find((variant) => variant.type === "string") ?? useful[0] ?? {};
  return { ...best, ...rest, isNullable: variants.length > useful.length };
}

const target = (reference) => reference.slice(2).split("/").reduce((node, part) => node?.[part], state.schema) ?? {};

/// The parameters of a method as fields. `values` has what the user entered, by name, and is changed in place; a field
/// that is left empty has no value. `errors` has messages by the path of the field, such as /targets/0/id.
/// With `remove(name)`, every parameter has a button that removes it, and a field that is left empty is null.
export class Form {
  constructor(method, values, { onchange = () => {}, errors = {}, remove = null } = {}) {
    Object.assign(this, { method, values, onchange, errors, remove });
    this.none = remove ? null : undefined;
  }

  render() {
    const [usual, rare] = [[], []];
    for (const parameter of this.method.params) (RARE.has(parameter.name) ? rare : usual).push(parameter);
    return h("div", { class: "form" },
      usual.map((parameter) => this.#parameter(parameter)),
      rare.length > 0 && h("details", { class: "rare" },
        h("summary", {}, t("form.more")),
        h("div", { class: "form" }, rare.map((parameter) => this.#parameter(parameter)))));
  }

  #parameter({ name, summary, required, schema }) {
    const field = this.#field({
      name, hint: summary, required, schema: resolved(schema), path: `/${name}`, value: this.values[name],
      set: (value) => this.#set(this.values, name, value),
    });
    return this.remove ? this.#removable(field, name, () => this.remove(name)) : field;
  }

  #removable(field, name, remove) {
    return h("div", { class: "element", "data-key": `element-${name}` }, field,
      button(t("form.remove"), remove, { "aria-label": `${t("form.remove")}: ${name}` }));
  }

  #set(object, name, value) {
    if (value === undefined) delete object[name];
    else object[name] = value;
    this.onchange();
  }

  #field(field) {
    const { schema } = field;
    if (schema.type === "object" && schema.properties) return this.#object(field);
    if (schema.type === "array") return this.#array(field);
    return this.#labelled(field, (attributes) => this.#control(field, attributes));
  }

  #labelled({ name, hint, required, path }, control) {
    const id = `param${path.replaceAll("/", "-")}`;
    const error = this.errors[path];
    const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || null;
    return h("div", { class: "field", "data-key": id },
      h("label", { for: id }, name, required ? h("span", { class: "quiet" }, ` ${t("form.required")}`) : null),
      control({ id, "aria-describedby": described, "aria-invalid": error ? "true" : null, required: !!required }),
      hint && h("small", { id: `${id}-hint` }, hint),
      error && h("small", { id: `${id}-error`, class: "error" }, error));
  }

  #control({ schema, value, set, required }, attributes) {
    if (schema.enum) {
      return this.#select(attributes, schema.enum.map((word) => [word, word]), value ?? "", required, set);
    }
    if (schema.type === "boolean") {
      const words = [["true", t("yes")], ["false", t("no")]];
      return this.#select(attributes, words, String(value ?? ""), required,
        (text) => set(text === this.none ? text : text === "true"));
    }
    if (schema.name === "AccountReference") return this.#account(attributes, value, set);
    const type = schema.format === "password" ? "password" : schema.type === "integer" || schema.type === "number"
      ? "number" : "text";
    const parse = type === "number" ? Number : schema.type === undefined ? anything : (text) => text;
    return h("input", {
      ...attributes, type, spellcheck: "false", autocomplete: "off", placeholder: placeholder(schema),
      min: schema.minimum, max: schema.maximum, value: shown(value, schema),
      oninput: ({ target }) => set(target.value === "" && !attributes.required ? this.none : parse(target.value)) });
  }

  #select(attributes, words, value, required, set) {
    const none = ["", t(required ? "form.choose" : this.remove ? "notSet" : "form.notGiven")];
    const options = required && value !== "" ? words : [none, ...words];
    return h("select", { ...attributes, value, onchange: (event) => set(event.target.value || this.none) },
      options.map(([word, text]) => h("option", { value: word }, text)));
  }

  #account(attributes, value, set) {
    const list = `${attributes.id}-people`;
    return [
      h("input", { ...attributes, type: "text", list, spellcheck: "false", autocomplete: "off", value: value ?? "",
        placeholder: "user@contoso.example", oninput: (event) => set(event.target.value || undefined) }),
      h("datalist", { id: list }, people().map((name) => h("option", { value: name }))),
    ];
  }

  /// Members of an optional object appear once the user adds it.
  #object({ name, hint, required, schema, path, value, set }) {
    const members = required && value === undefined ? {} : value;
    if (required && value === undefined) set(members);
    const fields = members && Object.entries(schema.properties).map(([key, member]) => this.#field({
      name: key, hint: member.description, required: schema.required?.includes(key), schema: resolved(member),
      path: `${path}/${key}`, value: members[key], set: (inner) => this.#set(members, key, inner),
    }));
    return h("fieldset", { "data-key": `set${path.replaceAll("/", "-")}` },
      h("legend", {}, name), hint && h("small", {}, hint), fields,
      !required && !members && button(t("form.add"), () => set({})),
      !required && members && button(t("form.remove"), () => set(this.none)));
  }

  #array({ name, hint, required, schema, path, value, set }) {
    const items = resolved(schema.items ?? {});
    const elements = value ?? [];
    if (required && value === undefined) set(elements);
    const blank = () => (items.type === "object" ? {} : items.type === "boolean" ? false : items.enum?.[0] ?? "");
    const removeAt = (index) => {
      elements.splice(index, 1);
      set(elements.length || required || this.remove ? elements : undefined);
    };
    const fields = elements.map((element, index) => this.#removable(
      this.#field({
        name: `${name} ${index + 1}`, required: true, schema: items, path: `${path}/${index}`, value: element,
        set: (inner) => { elements[index] = inner ?? ""; set(elements); } }),
      `${name} ${index + 1}`, () => removeAt(index)));
    return h("fieldset", { "data-key": `set${path.replaceAll("/", "-")}` },
      h("legend", {}, name), hint && h("small", {}, hint), fields,
      value === null && remark(t("notSet")),
      button(t("form.add"), () => set([...elements, blank()]), { "aria-label": `${t("form.add")}: ${name}` }));
  }
}

function shown(value, schema) {
  if (value === undefined || value === null) return "";
  return schema.type === undefined && typeof value !== "string" ? JSON.stringify(value) : String(value);
}

function placeholder(schema) {
  if (schema.contentEncoding === "base64") return "base64";
  return { uri: "https://…", "absolute-path": "/…", duration: "PT30M" }[schema.format] ?? "";
}

function anything(text) {
  try { return JSON.parse(text); } catch { return text; }
}

/// The values of a method's example, without the account.
export function exampleValues(method) {
  const pairs = (method.examples?.[0]?.params ?? []).map(({ name, value }) => [name, value]);
  return structuredClone(Object.fromEntries(pairs.filter(([name, value]) => name !== "account" && value !== null)));
}

/// The messages of an error about a parameter, by the path of its field.
export function errorsOf(error, prefix = "") {
  const path = error?.data?.path;
  if (typeof path !== "string" || !path.startsWith(prefix)) return {};
  return { [path.slice(prefix.length)]: error.message };
}
