import { apiVersion, type Tuned, tuningNamespace } from "../../../domain/node-tuning/api.ts";

/** The example of `attune up`: one kernel parameter for nodes with this label. */
export const exampleLabel = "example.attune/quiet";
export const exampleSysctl = { name: "vm.swappiness", path: "/proc/sys/vm/swappiness", value: "11" };

export function exampleTuned(namespace = tuningNamespace): Tuned {
  const { name, value } = exampleSysctl;
  return {
    apiVersion,
    kind: "Tuned",
    metadata: { name: "quiet-memory", namespace },
    spec: {
      profile: [
        {
          name: "quiet-memory",
          data: `[main]\nsummary=Prefer memory to swap\ninclude=openshift-node\n\n[sysctl]\n${name}=${value}\n`,
        },
      ],
      recommend: [{ profile: "quiet-memory", priority: 20, match: [{ label: exampleLabel }] }],
    },
  };
}
