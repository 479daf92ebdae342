// The settings of a policy, as the schema lists them for test policies: their order, groups, values and meanings.

import { resolved } from "./form.js";

/// The first setting of each group, in the order of the schema.
const GROUPS = {
  allowedInboundDataTransferSources: "group.transfer",
  managedBrowserToOpenLinksRequired: "group.links",
  periodOfflineBeforeAccessCheck: "group.access",
  deviceComplianceRequired: "group.launch",
  encryptAppData: "group.android",
};

let rows = null;

/// [{name, group, meaning, schema}], in the order of the schema. The other members of a policy, such as its name, only
/// describe it.
export function catalog() {
  if (rows) return rows;
  const { properties = {} } = resolved({ $ref: "#/components/schemas/TestSettings" });
  let group = null;
  rows = Object.entries(properties).map(([name, member]) => {
    group = GROUPS[name] ?? group;
    return { name, group, meaning: member.description ?? "", schema: resolved(member) };
  });
  return rows;
}

export const rowOf = (name) => catalog().find((row) => row.name === name);

/// The settings of a report by group: [{group, rows: [{name, meaning, setting}]}], without groups that have none.
export function grouped(settings, matches) {
  const rows = catalog().map((row) => ({ ...row, setting: settings[row.name] }))
    .filter((row) => row.setting && matches(row));
  return [...Map.groupBy(rows, ({ group }) => group)].map(([group, rows]) => ({ group, rows }));
}

export function same(one, other) {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
