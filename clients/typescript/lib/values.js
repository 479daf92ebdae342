/*
 * Values between JavaScript and JSON: bytes as base64, times in RFC 3339, durations in ISO 8601.
 */

/** A time in milliseconds, as 3 s or 250 ms. */
export function timeText(milliseconds) {
  return milliseconds % 1000 ? `${milliseconds} ms` : `${milliseconds / 1000} s`;
}

export function asIs(value) {
  return value;
}

export function optional(convert) {
  return (value) => (value === null || value === undefined ? null : convert(value));
}

export function listOf(convert) {
  return (values) => {
    if (!Array.isArray(values)) throw new TypeError("not a list");
    return values.map((value) => convert(value));
  };
}

export function mapOf(convert) {
  return (values) => Object.fromEntries(Object.entries(object(values)).map(([name, value]) => [name, convert(value)]));
}

/** Reads an object: checks that its required members are there, and converts others than null. */
export function readMembers(wire, required, conversions = {}) {
  const missing = required.find((name) => !Object.hasOwn(object(wire), name));
  if (missing !== undefined) throw new TypeError(`no member ${missing}`);
  return writeMembers(object(wire), conversions);
}

/** Copies an object, and converts the members that are there and not null. */
export function writeMembers(value, conversions) {
  const found = { ...value };
  for (const [name, convert] of Object.entries(conversions)) {
    if (found[name] !== undefined && found[name] !== null) found[name] = convert(found[name]);
  }
  return found;
}

function object(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError("not an object");
  return value;
}

export function readBytes(value) {
  if (typeof value !== "string") throw new TypeError("not bytes in base64");
  return new Uint8Array(Buffer.from(value, "base64"));
}

export function writeBytes(value) {
  if (!(value instanceof Uint8Array)) throw new TypeError("bytes must be a Uint8Array");
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
}

export function readTime(value) {
  const time = new Date(typeof value === "string" ? value : NaN);
  if (Number.isNaN(time.getTime())) throw new TypeError("not a time");
  return time;
}

export function writeTime(value) {
  if (!(value instanceof Date)) throw new TypeError("a time must be a Date");
  return value.toISOString();
}

export function writeDuration(milliseconds) {
  const seconds = milliseconds / 1000;
  if (!Number.isSafeInteger(seconds) || seconds < 0) {
    throw new RangeError("a duration must be whole seconds, in milliseconds, and not negative");
  }
  return `P${Math.floor(seconds / 86400)}DT${seconds % 86400}S`;
}
