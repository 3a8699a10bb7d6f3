import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Credentials } from "./credentials.ts";
import { type Machine, nodeAddress, nodeName } from "./machine.ts";
import { Service } from "./service.ts";

/** Where Debian's containernetworking-plugins are. */
export const networkPlugins = "/usr/lib/cni";
export const pauseImage = "localhost/pause:1";

export interface NodePrograms {
  readonly containerd: Service;
  readonly kubelet: Service;
  readonly proxy: Service;
}

/** containerd, the kubelet and kube-proxy, with everything they keep in the machine's folder. */
export function nodePrograms(machine: Machine, assets: string, credentials: Credentials): NodePrograms {
  const file = (name: string, content: string | object): string => {
    const path = join(machine.dir, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  const network = join(machine.dir, "network");
  const dropIns = join(machine.dir, "kubelet.conf.d");
  for (const folder of [network, dropIns]) mkdirSync(folder);
  file("network/10-bridge.conflist", bridge);
  return {
    containerd: new Service(machine, "containerd", [
      "containerd",
      "--config",
      file("containerd.toml", runtime(network)),
    ]),
    kubelet: new Service(machine, "kubelet", [
      join(assets, "kubelet"),
      `--config=${file("kubelet.json", kubelet(credentials.file("ca.crt")))}`,
      `--config-dir=${dropIns}`,
      `--kubeconfig=${credentials.file("kubelet.kubeconfig")}`,
      `--hostname-override=${nodeName}`,
      `--node-ip=${nodeAddress}`,
    ]),
    proxy: new Service(machine, "kube-proxy", [
      join(assets, "kube-proxy"),
      `--config=${file("kube-proxy.json", proxy(credentials.file("proxy.kubeconfig")))}`,
    ]),
  };
}

/** A process without CAP_SYS_RESOURCE may not lower a score below its own, hence `restrict_oom_score_adj`. */
const runtime = (network: string): string => `
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${networkPlugins}"
    conf_dir = "${network}"
`;

const bridge = {
  cniVersion: "1.0.0",
  name: "pods",
  plugins: [
    {
      type: "bridge",
      bridge: "cni0",
      isDefaultGateway: true,
      hairpinMode: true,
      ipam: { type: "host-local", ranges: [[{ subnet: "10.244.0.0/24" }]] },
    },
  ],
};

/**
 * The reserved half CPU becomes a whole one of the static CPU manager, and leaves enough of two for a pod with a CPU of
 * its own beside the others.
 */
const kubelet = (clientCa: string): object => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: clientCa } },
  authorization: { mode: "Webhook" },
  containerRuntimeEndpoint: "unix:///run/containerd/containerd.sock",
  cgroupDriver: "cgroupfs",
  failCgroupV1: false,
  failSwapOn: false,
  oomScoreAdj: 0,
  cpuManagerPolicy: "static",
  systemReserved: { cpu: "500m" },
  clusterDNS: ["10.96.0.10"],
  clusterDomain: "cluster.local",
  // This machine's disk may be full, which is no concern of the stories.
  evictionHard: { "memory.available": "100Mi" },
  imageGCHighThresholdPercent: 100,
  syncFrequency: "10s",
});

/** Connection tracking is left as it is: a network namespace may not change the kernel's limit. */
const proxy = (kubeconfig: string): object => ({
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  clientConnection: { kubeconfig },
  hostnameOverride: nodeName,
  clusterCIDR: "10.244.0.0/16",
  mode: "iptables",
  oomScoreAdj: 0,
  conntrack: { maxPerCore: 0, min: 0 },
});
