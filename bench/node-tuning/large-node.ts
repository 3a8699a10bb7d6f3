/** A Node of realistic size: about 12 KB, most of it images. Rules match the label `group`. */
export function largeNode(name: string, group: string): string {
  const now = "2026-01-01T00:00:00Z";
  const condition = (type: string, status: string, reason: string, message: string): object => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/instance-type": "m6i.4xlarge",
        "beta.kubernetes.io/os": "linux",
        "failure-domain.beta.kubernetes.io/region": "eu-central-1",
        "failure-domain.beta.kubernetes.io/zone": "eu-central-1a",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node-role.kubernetes.io/worker": "",
        "node.kubernetes.io/instance-type": "m6i.4xlarge",
        "topology.kubernetes.io/region": "eu-central-1",
        "topology.kubernetes.io/zone": "eu-central-1a",
        group,
      },
      annotations: {
        "csi.volume.kubernetes.io/nodeid": `{"ebs.csi.aws.com":"${idOf(name, 17)}"}`,
        "machine.openshift.io/machine": `openshift-machine-api/${name}`,
        "machineconfiguration.openshift.io/currentConfig": `rendered-worker-${idOf("worker", 32)}`,
        "machineconfiguration.openshift.io/desiredConfig": `rendered-worker-${idOf("worker", 32)}`,
        "machineconfiguration.openshift.io/reason": "",
        "machineconfiguration.openshift.io/state": "Done",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
      },
    },
    spec: { providerID: `aws:///eu-central-1a/i-${idOf(name, 17)}` },
    status: {
      addresses: [
        { type: "InternalIP", address: "10.0.12.34" },
        { type: "Hostname", address: name },
        { type: "InternalDNS", address: `${name}.eu-central-1.compute.internal` },
      ],
      allocatable: { cpu: "15500m", memory: "62914560Ki", pods: "250", "ephemeral-storage": "114345831029" },
      capacity: { cpu: "16", memory: "65011712Ki", pods: "250", "ephemeral-storage": "125293548Ki" },
      conditions: [
        condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      images: Array.from({ length: 36 }, (_, index) => ({
        names: [
          `registry.example/openshift-release-dev/ocp-v4.0-art-dev@sha256:${idOf(`${name}/${index}`, 64)}`,
          `registry.example/openshift-release-dev/ocp-v4.0-art-dev:${idOf(`${index}/${name}`, 40)}`,
        ],
        sizeBytes: 400_000_000 + index * 1_234_567,
      })),
      nodeInfo: {
        architecture: "amd64",
        bootID: idOf(`${name}/boot`, 36),
        containerRuntimeVersion: "cri-o://1.32.4",
        kernelVersion: "5.14.0-570.el9_6.x86_64",
        kubeProxyVersion: "",
        kubeletVersion: "v1.32.5",
        machineID: idOf(`${name}/machine`, 32),
        operatingSystem: "linux",
        osImage: "Red Hat Enterprise Linux CoreOS 9.6",
        systemUUID: idOf(`${name}/system`, 36),
      },
    },
  });
}

/** Digits like those of a digest, determined by the seed. */
function idOf(seed: string, length: number): string {
  let state = 2_166_136_261;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 16_777_619) >>> 0;
  let digits = "";
  while (digits.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    digits += state.toString(16).padStart(8, "0");
  }
  return digits.slice(0, length);
}
