import { apiVersion, type Tuned } from "./api.ts";

export const defaultTunedName = "default";

/** It includes the profile of the same name that every node has. Only some cloud providers have a profile of their own. */
const openshift = `[main]
summary=What every node gets, and what its cloud provider adds
include=-provider-\${f:exec:cat:/var/lib/ocp-tuned/provider},openshift
`;

/** Its last rule matches every node, so that every node gets a profile. */
export function defaultTuned(namespace: string): Tuned {
  return {
    apiVersion,
    kind: "Tuned",
    metadata: { name: defaultTunedName, namespace },
    spec: {
      profile: [{ name: "openshift", data: openshift }],
      recommend: [
        {
          profile: "openshift-control-plane",
          priority: 30,
          match: [{ label: "node-role.kubernetes.io/control-plane" }, { label: "node-role.kubernetes.io/infra" }],
        },
        { profile: "openshift-node", priority: 40 },
      ],
    },
  };
}
