// What a record needs besides its calls, and what must not get out of it.

import { LEFT_OUT } from "./export.js";
import { resolved } from "./form.js";
import { isManual, methodOf, state, takesInventions } from "./state.js";

/// The recorded calls that the server has answered, and the options of a server that answers them again.
export function session() {
  const { status, information, recorder } = state;
  const options = [["--app-id", information.appId], ["--locale", information.language]];
  for (const [name, value] of Object.entries(information.settings)) {
    options.push(["--set", `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`]);
  }
  const entries = recorder.entries.filter(({ took, error }) => took !== undefined && error?.code !== 0)
    .map((entry) => ({ ...entry, params: withoutSecrets(entry) }));
  return { tenant: status.source === "folder" ? status.path : status.source, options, entries, ...recorder.beginning,
    isManual: isManual(), version: information.version };
}

/// The parameters of a call with … for PINs and tokens, unless they cannot be real: those of a state that was new and
/// whose policy source accepts all.
export function withoutSecrets({ method, params }) {
  if (state.session.isNew && takesInventions()) return params;
  const secrets = (methodOf(method)?.params ?? []).filter(({ schema }) => resolved(schema).format === "password")
    .map(({ name }) => name);
  return Object.fromEntries(Object.entries(params).map(([name, value]) =>
    [name, secrets.includes(name) && typeof value === "string" ? LEFT_OUT : value]));
}
