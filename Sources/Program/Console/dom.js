// Builds and updates the document. Data becomes text and attributes, never markup.

const SVG = "http://www.w3.org/2000/svg";
const HANDLERS = ["onclick", "oninput", "onchange", "onkeydown", "onsubmit"];
const PROPERTIES = ["value", "checked", "disabled", "open"];

/// An element. In `attributes`, `on…` is a handler, `value` and `checked` are properties, and null and false leave an
/// attribute out. Children are nodes, texts, or lists of them; null and false are left out.
export function h(name, attributes = {}, ...children) {
  const svg = name === "svg" || name === "path";
  const element = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  element.given = attributes;
  for (const [key, value] of Object.entries(attributes)) {
    if (HANDLERS.includes(key)) element[key] = value;
    else if (PROPERTIES.includes(key) || key === "create") continue;
    else if (key === "css") style(element, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...flat(children));
  for (const key of PROPERTIES) if (attributes[key] !== undefined) element[key] = attributes[key];
  return element;
}

/// Sets custom properties. A style attribute is forbidden by the page's security policy.
function style(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
}

function flat(children) {
  return children.flat(Infinity).filter((child) => child != null && child !== false && child !== "");
}

/// An element that `create` fills once, when it comes into the page, and that looks after itself from then on.
export const mount = (key, create) => h("div", { "data-key": key, create });

/// Makes the content of an element equal to `children`. Elements that were there keep their focus, their selection and
/// their place, so nothing moves unless it changed.
export function render(element, ...children) {
  update(element, flat(children).map((child) => (child instanceof Node ? child : new Text(child))));
}

function update(parent, wanted) {
  const keyed = new Map();
  for (const child of parent.childNodes) if (keyOf(child)) keyed.set(keyOf(child), child);
  let current = parent.firstChild;
  for (const next of wanted) {
    const key = keyOf(next);
    const match = key ? keyed.get(key) : current && !keyOf(current) ? current : null;
    if (match && match.parentNode === parent && alike(match, next)) {
      if (match === current) current = current.nextSibling;
      else parent.insertBefore(match, current);
      if (match !== next) assimilate(match, next);
    } else if (next !== current) {
      parent.insertBefore(next, current);
      bringToLife(next);
    } else {
      current = current.nextSibling;
    }
  }
  while (current) {
    const next = current.nextSibling;
    current.remove();
    current = next;
  }
}

function bringToLife(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return;
  for (const element of [node, ...node.querySelectorAll("[data-key]")]) element.given?.create?.(element);
}

const keyOf = (node) => node.given?.["data-key"] ?? null;
const alike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName;

function assimilate(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (old.given?.create) return;
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && name !== "open" && name !== "style") old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== "style" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (fresh.given?.css) style(old, fresh.given.css);
  for (const handler of HANDLERS) if (old[handler] !== fresh[handler]) old[handler] = fresh[handler];
  update(old, [...fresh.childNodes]);
  for (const key of PROPERTIES) {
    const value = fresh.given?.[key];
    const typing = key === "value" && old === document.activeElement && old.given?.value === value;
    if (value !== undefined && !typing && old[key] !== value) old[key] = value;
  }
  old.given = fresh.given;
}

/// Calls `work` once, after the last of several calls, when the browser is about to paint. A page in the background
/// paints nothing, so a timer stands in there.
export function perFrame(work) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    const run = () => {
      if (!waiting) return;
      waiting = false;
      work();
    };
    if (document.hidden) setTimeout(run, 250);
    else requestAnimationFrame(run);
  };
}
