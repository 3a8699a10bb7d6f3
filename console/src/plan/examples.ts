interface Example {
  readonly name: string;
  readonly yaml: string;
}

/** To try the view with. */
export const examples: readonly Example[] = [
  {
    name: "Example: swap less",
    yaml: `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata:
  name: swap-less
  namespace: openshift-cluster-node-tuning-operator
spec:
  profile:
    - name: swap-less
      data: |
        [main]
        summary=Swap less
        include=openshift-node
        [sysctl]
        vm.swappiness=10
  recommend:
    - profile: swap-less
      priority: 20
      match:
        - label: node-role.kubernetes.io/worker
`,
  },
  {
    name: "Example: a pool",
    yaml: `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata:
  name: worker-latency
  labels:
    machineconfiguration.openshift.io/role: worker-latency
spec:
  machineConfigSelector:
    matchExpressions:
      - key: machineconfiguration.openshift.io/role
        operator: In
        values: [worker, worker-latency]
  nodeSelector:
    matchLabels:
      node-role.kubernetes.io/worker-latency: ""
`,
  },
  {
    name: "Example: low latency",
    yaml: `apiVersion: performance.openshift.io/v2
kind: PerformanceProfile
metadata:
  name: low-latency
spec:
  cpu:
    reserved: 0-1
    isolated: 2-7
  nodeSelector:
    node-role.kubernetes.io/worker: ""
`,
  },
];

/** Where nodes get their tuning from NodePools: of the cluster that `attune up` creates. */
export const hostedExamples: readonly Example[] = [
  {
    name: "Example: swap less",
    yaml: `apiVersion: v1
kind: ConfigMap
metadata:
  name: quiet-memory
  namespace: clusters
data:
  tuning: |
    apiVersion: tuned.openshift.io/v1
    kind: Tuned
    metadata:
      name: quiet-memory
    spec:
      profile:
        - name: quiet-memory
          data: |
            [main]
            summary=Swap less
            include=openshift-node
            [sysctl]
            vm.swappiness=5
      recommend:
        - profile: quiet-memory
          priority: 20
`,
  },
];
