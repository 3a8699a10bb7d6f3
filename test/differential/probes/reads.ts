import type { Probe } from "../probe.ts";
import { get, merge, metadataOnly, namespace, post, remove, table } from "./wire.ts";

const space = "reads";
const all = `/api/v1/namespaces/${space}/configmaps`;
const names = ["a", "b", "c", "d"];
const asked = (name: string) => (value: string) => get(`${all}?${name}=${encodeURIComponent(value)}`);

const labelSelectors = [
  "l=a",
  "l!=a",
  "l in (a,b)",
  "l notin (a)",
  "!l",
  "n>1",
  "n>x",
  "l in (a",
  "=a",
  ",",
  "-l",
  "é",
];
const fieldSelectors = ["metadata.name=a", "metadata.name!=a", "metadata.name", "foo=bar", "metadata.name=a\\,b", ","];
const queries = [
  "limit=2",
  "limit=x",
  "limit=-1",
  "limit=1&labelSelector=l%3Da",
  "limit=1&resourceVersion=0",
  "limit=1&resourceVersion={{c.metadata.resourceVersion}}",
  "resourceVersion={{c.metadata.resourceVersion}}&resourceVersionMatch=Exact",
  "resourceVersion=x",
  "resourceVersion=99999999",
  "resourceVersionMatch=Exact",
  "resourceVersion=0&resourceVersionMatch=Exact",
  "continue=abc",
  "sendInitialEvents=true",
];
const since = "resourceVersion={{a.metadata.resourceVersion}}";
const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
const watches = [
  "",
  "resourceVersion=0",
  since,
  `${since}&labelSelector=l%3Dz`,
  `${since}&fieldSelector=metadata.name%3Db`,
  "resourceVersion=x",
  initial,
  `${initial}&allowWatchBookmarks=true`,
  "sendInitialEvents=true&resourceVersionMatch=Exact",
  "resourceVersionMatch=NotOlderThan",
  "continue=abc",
  "labelSelector=(",
];

export const reads: readonly Probe[] = [
  {
    name: "lists and watches",
    steps: [
      namespace(space),
      ...names.map((name, n) =>
        post(all, { metadata: { name, labels: { l: name, n: String(n) } }, data: {} }, { as: name }),
      ),
      ...labelSelectors.map(asked("labelSelector")),
      ...fieldSelectors.map(asked("fieldSelector")),
      ...queries.map((query) => get(`${all}?${query}`)),
      get(`${all}?limit=2`, { as: "page" }),
      post(all, { metadata: { name: "b2" } }),
      get(`${all}?limit=2&continue={{page.metadata.continue}}`),
      get(`${all}?limit=2&continue={{page.metadata.continue}}&resourceVersion={{c.metadata.resourceVersion}}`),
      get(`${all}/a?watch=true`),
      merge(`${all}/b`, { metadata: { labels: { l: "z" }, finalizers: ["x.y/z"] } }),
      remove(`${all}/b`),
      merge(`${all}/b`, { metadata: { finalizers: null } }),
      remove(`${all}/d`),
      ...watches.map((query) => get(`${all}?watch=true&timeoutSeconds=1&${query}`)),
      get(`${all}?watch=true&timeoutSeconds=1&${since}`, { accept: table }),
      get(`${all}?watch=true&timeoutSeconds=1&${since}`, { accept: metadataOnly }),
      get(`${all}?includeObject=All`, { accept: table }),
    ],
  },
];
