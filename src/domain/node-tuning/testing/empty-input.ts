import type { NodeTuningInput } from "../decide.ts";

const namespace = "tuning";

/** What the operator reads of a cluster without nodes and Tuneds. */
export const emptyInput: NodeTuningInput = {
  tuneds: [],
  nodes: [],
  profiles: [],
  status: { type: "ConfigMap", observed: undefined },
  agent: { namespace, image: "", serviceAccount: "", release: "" },
  protocol: "documented",
  version: "1",
  namespace,
  now: "2026-01-01T00:00:00Z",
};
