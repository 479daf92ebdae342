// The settings of a policy, as the schema lists them for test policies: their order, groups, values and meanings.

import { resolved } from "./form.js";
import { state } from "./state.js";

/// The first setting of each group, in the order of the schema.
const GROUPS = {
  allowedInboundDataTransferSources: "group.transfer",
  managedBrowserToOpenLinksRequired: "group.links",
  periodOfflineBeforeAccessCheck: "group.access",
  deviceComplianceRequired: "group.launch",
  encryptAppData: "group.android",
};
/// Members that describe a policy and restrict nothing.
const ABOUT = new Set(["id", "displayName", "description", "version", "createdDateTime", "lastModifiedDateTime",
  "roleScopeTagIds", "isAssigned", "targetedAppManagementLevels", "appGroupType", "deployedAppCount", "apps",
  "assignments", "deploymentSummary", "customSettings"]);

let rows = null;

/// [{name, group, meaning, schema}], in the order of the schema.
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
export function grouped(settings, matches = () => true) {
  const groups = new Map();
  const add = (group, row) => {
    if (!matches(row)) return;
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(row);
  };
  for (const { name, group, meaning } of catalog()) {
    if (name in settings) add(group, { name, meaning, setting: settings[name] });
  }
  for (const [name, setting] of Object.entries(settings)) {
    if (!rowOf(name) && !ABOUT.has(name)) add("group.other", { name, meaning: "", setting });
  }
  return [...groups].map(([group, rows]) => ({ group, rows }));
}

export const restricts = (name) => !ABOUT.has(name);

export function same(one, other) {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
