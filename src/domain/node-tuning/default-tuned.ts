import { apiVersion, type Tuned } from "./api.ts";

export const defaultTunedName = "default";

/** A profile may include its own name: the one of the node, below. The provider's profile is there on some clouds only. */
const openshift = `[main]
summary=What every node gets, and what its cloud provider adds
include=-provider-\${f:exec:cat:/var/lib/ocp-tuned/provider},openshift
`;

/** The rules of last resort. Always there: a node for which no other rule holds finds one here. */
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
