/**
 * Of some responses only the relevant part was recorded. Each function here takes the same part of our response.
 * Responses that are not listed are compared completely.
 */
interface Answer {
  kind: string;
  apiVersion: string;
  metadata: { name: string; generation: number };
  items: Answer[];
  spec: { items: unknown; conversion: unknown; template: { spec: { containers: unknown } } };
  status: { conditions: { type: string; status: string }[] };
  columnDefinitions: Record<string, unknown>[];
  rows: { cells: unknown[] }[];
  resources: Record<string, unknown>[];
  groups: Record<string, unknown>[];
  versions: { version: string; resources: { resource: string }[] }[];
  paths: Record<string, { serverRelativeURL: string }>;
  serverAddressByClientCIDRs: object[];
}
type Reduction = (actual: Answer, expected: Answer) => unknown;

const specItems: Reduction = (actual) => actual.spec.template.spec.containers;
const names: Reduction = (actual) => actual.items.map((item) => item.metadata.name);
const listOf =
  (item: (item: Answer) => unknown): Reduction =>
  ({ kind, apiVersion, metadata, items }) => ({ kind, apiVersion, metadata, items: items.map(item) });
const generation: Reduction = (actual) => ({ generation: actual.metadata.generation });
const tableParts =
  (...fields: string[]): Reduction =>
  (actual) => ({
    columnDefinitions: actual.columnDefinitions.map((column) => pick(column, ...fields)),
    cells: actual.rows[0]?.cells,
  });

/** Of a discovery list, only the recorded items, in recorded order. */
const listed =
  (list: "groups" | "resources"): Reduction =>
  (actual, expected) => ({
    ...actual,
    [list]: expected[list].map((wanted) => actual[list].find((found) => found.name === wanted.name)),
  });
const aggregated: Reduction = (actual, expected) => ({
  ...actual,
  items: expected.items.map((group) => {
    const found = actual.items.find((other) => other.metadata.name === group.metadata.name);
    return {
      ...found,
      versions: group.versions.map((version) => {
        const other = found?.versions.find((candidate) => candidate.version === version.version);
        return {
          ...other,
          resources: version.resources.map((wanted) => other?.resources.find((r) => r.resource === wanted.resource)),
        };
      }),
    };
  }),
});

export const reductions: Record<string, Reduction> = {
  "discovery: api versions": (actual) => ({
    ...actual,
    serverAddressByClientCIDRs: actual.serverAddressByClientCIDRs.map((one) => ({
      ...one,
      serverAddress: "192.0.2.2:16444",
    })),
  }),
  "discovery: groups": listed("groups"),
  "discovery: core resources": listed("resources"),
  "discovery: node.k8s.io": listed("resources"),
  "discovery: apps resources": listed("resources"),
  "discovery: aggregated core": aggregated,
  "discovery: aggregated groups": aggregated,
  "discovery: openapi v3 index": (actual, expected) => ({
    paths: Object.fromEntries(
      Object.keys(expected.paths).map((path) => [
        path,
        { serverRelativeURL: String(actual.paths[path]?.serverRelativeURL).replace(/hash=[0-9A-F]+$/, "hash=<hash>") },
      ]),
    ),
  }),
  "authentication-and-authorization: no token on version": () => ({}),
  "patch: strategic by name": specItems,
  "patch: strategic delete directive": specItems,
  "patch: strategic replace directive": specItems,
  "list-selectors-paging-tables: list by label": listOf((item) => ({
    metadata: pick(item.metadata, "name"),
    hasKind: "kind" in item,
  })),
  "list-selectors-paging-tables: field selector": names,
  "list-selectors-paging-tables: limit": listOf((item) => item.metadata.name),
  "list-selectors-paging-tables: continue": listOf((item) => item.metadata.name),
  "list-selectors-paging-tables: rv 0": (actual) => actual.items.length,
  "list-selectors-paging-tables: all namespaces": ({ kind, apiVersion, metadata, items }) => ({
    kind,
    apiVersion,
    metadata,
    items: items.length,
  }),
  "list-selectors-paging-tables: table": withAges,
  "list-selectors-paging-tables: table one": withAges,
  "list-selectors-paging-tables: node table": agedTable(tableParts("name", "type", "format", "priority")),
  "list-selectors-paging-tables: daemonset table": agedTable(tableParts("name", "type", "format", "priority")),
  "custom-resources: create crd": (actual) => ({ status: actual.status }),
  "custom-resources: established": (actual) => ({ status: actual.status, conversion: actual.spec.conversion }),
  "custom-resources: status ignored on main": (actual) => ({
    status: actual.status ?? null,
    generation: actual.metadata.generation,
  }),
  "custom-resources: status": (actual) => ({
    spec: actual.spec,
    status: actual.status,
    generation: actual.metadata.generation,
  }),
  "custom-resources: spec bumps generation": generation,
  "custom-resources: label does not": generation,
  "custom-resources: apply map list merges": (actual) => actual.spec.items,
  "custom-resources: table": tableParts("name", "type"),
  "custom-resources: delete crd": (actual) => ({
    status: actual.status.conditions.map(({ type, status }) => `${type}=${status}`),
  }),
  "other-kinds: node status": (actual) => actual.status,
};

/** Replaces ages, and leaves out descriptions, which are each server's own. */
function withAges(actual: Answer): unknown {
  return {
    ...actual,
    columnDefinitions: actual.columnDefinitions.map((column) => pick(column, "name", "type", "format", "priority")),
    rows: actual.rows.map((row) => ({ ...row, cells: row.cells.map(age) })),
  };
}

function agedTable(reduce: Reduction): Reduction {
  return (actual, expected) => {
    const reduced = reduce(actual, expected) as { cells: unknown[] };
    return { ...reduced, cells: reduced.cells.map(age) };
  };
}

/** Replaces an age by a placeholder; also used for recorded cells. */
export function age(cell: unknown): unknown {
  return typeof cell === "string" && /^\d+[smhd]/.test(cell) ? "<age>" : cell;
}

function pick(from: object, ...fields: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([field]) => fields.includes(field)));
}
