import { copiesNamespace } from "../../domain/hosted/mirror/kubelet-copies.ts";
import { group as machineConfiguration } from "../../domain/machine-config/api.ts";
import { tuningNamespace } from "../../domain/node-tuning/api.ts";
import { partitioningConfigMap } from "../../domain/workload-partitioning/identifier.ts";
import type { Grant } from "../../language/object/grant.ts";
import { authentication, operatorGrants } from "./rbac.ts";

/** What comes from the management cluster instead, and what only a pod of the cluster needs. */
const elsewhere = [
  "performanceprofiles",
  "kubeletconfigs",
  "containerruntimeconfigs",
  "deployments",
  "securitycontextconstraints",
];

/** All that the account of a hosted cluster's kubeconfig needs there, so that the operator can work with it. */
export function hostedClusterGrants(): Grant[] {
  const isElsewhere = ({ resources, resourceNames = [], within }: Grant): boolean =>
    within === authentication.namespace ||
    resourceNames.includes(partitioningConfigMap.name) ||
    resources.some((one) => one === "infrastructures/status" || elsewhere.includes(one.split("/")[0] ?? ""));
  return [
    ...operatorGrants("auto", tuningNamespace).filter((grant) => !isElsewhere(grant)),
    {
      because: "pools are as the management cluster orders them, and go with their NodePool",
      apiGroups: [machineConfiguration],
      resources: ["machineconfigpools"],
      verbs: ["update", "delete"],
    },
    {
      because: "whether the namespace of these copies exists",
      apiGroups: [""],
      resources: ["namespaces"],
      resourceNames: [copiesNamespace],
      verbs: ["list", "watch"],
    },
    {
      within: copiesNamespace,
      because: "copies of the KubeletConfigs of NodePools",
      apiGroups: [""],
      resources: ["configmaps"],
      verbs: ["list", "watch", "create", "update", "delete"],
    },
  ];
}
