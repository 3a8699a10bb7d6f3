import type { Probe } from "../probe.ts";
import { get, merge, post, put, remove, table } from "./wire.ts";

const all = "/apis/apiregistration.k8s.io/v1/apiservices";
const one = (name: string, spec: object): object => ({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name },
  spec,
});
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const weighed = `${definitions}/weighed.w.example`;
const weights = { groupPriorityMinimum: 100, versionPriority: 10 };
const version = (name: string): object => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object" } },
});

/** One request each: the real server creates them concurrently, so the order of their versions is random. */
const ofTheServer: readonly Probe[] = ["v1.", "v1.apps", "v1.apiregistration.k8s.io"].map((name) => ({
  name: `${name} is served`,
  steps: [get(`${all}/${name}`)],
}));

export const apiServices: readonly Probe[] = [
  ...ofTheServer,
  {
    name: "API services",
    steps: [
      get(`${all}/v1.events.k8s.io`, { accept: table }),
      get("/apis/apiregistration.k8s.io/v1"),
      post(all, one("x", { group: "g.example", version: "v1" })),
      post(all, one("V1.", { group: "", version: "V1", groupPriorityMinimum: 30000, versionPriority: 2000 })),
      post(
        all,
        one("v1.g.example", {
          group: "g.example",
          version: "v1",
          ...weights,
          insecureSkipTLSVerify: true,
          caBundle: "eA==",
        }),
      ),
      post(all, one("v1.g.example", { group: "g.example", version: "v1", ...weights })),
      merge(`${all}/v1.g.example`, { spec: { versionPriority: 11 } }),
      put(`${all}/v1.g.example`, one("v1.g.example", { group: "g.example", version: "v1", ...weights })),
      merge(`${all}/v1.g.example/status`, { status: { conditions: [{ type: "Available", status: "Odd" }] } }),
      remove(`${all}/v1.g.example`),
      post(
        definitions,
        {
          metadata: { name: "weighed.w.example" },
          spec: {
            group: "w.example",
            scope: "Cluster",
            names: { plural: "weighed", kind: "Weighed" },
            versions: [version("v1")],
          },
        },
        { aside: "its conditions are set asynchronously" },
      ),
      get(`${all}/v1.w.example`, { until: "always available" }),
      get(weighed, { until: "InitialNamesAccepted", aside: "the real server sets it asynchronously" }),
      remove(weighed),
      get(`${all}/v1.w.example`, { until: "not found" }),
    ],
  },
];
