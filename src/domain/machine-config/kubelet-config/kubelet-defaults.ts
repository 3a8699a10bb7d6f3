import type { JsonObject } from "../../../language/object/json.ts";
import { defaultTls } from "./tls-profile.ts";

export const kubeletHeader = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" };

const everyRole: JsonObject = {
  ...kubeletHeader,
  authentication: { anonymous: { enabled: false }, x509: { clientCAFile: "/etc/kubernetes/kubelet-ca.crt" } },
  cgroupDriver: "systemd",
  cgroupRoot: "/",
  clusterDNS: ["10.3.0.10"],
  clusterDomain: "cluster.local",
  containerLogMaxSize: "50Mi",
  enableSystemLogQuery: true,
  kubeAPIBurst: 100,
  kubeAPIQPS: 50,
  maxPods: 250,
  nodeStatusReportFrequency: "5m0s",
  nodeStatusUpdateFrequency: "10s",
  podPidsLimit: 4096,
  protectKernelDefaults: true,
  rotateCertificates: true,
  serializeImagePulls: false,
  serverTLSBootstrap: true,
  staticPodPath: "/etc/kubernetes/manifests",
  systemCgroups: "/system.slice",
  ...defaultTls,
};

/** The kubelet of a node whose pool has templates, before any KubeletConfig. Custom roles are workers. */
export function kubeletDefaults(role: string): JsonObject {
  if (role === "master") return { ...everyRole, failSwapOn: true };
  return {
    ...everyRole,
    failSwapOn: false,
    memorySwap: { swapBehavior: "NoSwap" },
    systemReservedCgroup: "/system.slice",
    enforceNodeAllocatable: ["pods", "system-reserved-compressible"],
  };
}
