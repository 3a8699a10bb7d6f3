import { join } from "node:path";
import { type Credentials } from "./credentials.ts";
import { type Machine, nodeAddress } from "./machine.ts";
import { Service } from "./service.ts";

const etcdUrl = "http://127.0.0.1:2379";
const podNetwork = "10.244.0.0/16";

export interface ControlPlane {
  readonly etcd: Service;
  readonly apiserver: Service;
  readonly controllerManager: Service;
  readonly scheduler: Service;
}

/** The programs of the folder `assets`, as they run on a control plane node. */
export function controlPlane(machine: Machine, assets: string, credentials: Credentials): ControlPlane {
  const service = (name: string, flags: readonly string[]): Service =>
    new Service(machine, name, [join(assets, name), ...flags]);
  const kubeconfig = (name: string): string => credentials.file(`${name}.kubeconfig`);
  return {
    etcd: service("etcd", [
      "--name=default",
      `--data-dir=${join(machine.dir, "etcd")}`,
      "--log-level=warn",
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
    ]),
    apiserver: service("kube-apiserver", [
      `--bind-address=${nodeAddress}`,
      `--advertise-address=${nodeAddress}`,
      "--secure-port=6443",
      `--etcd-servers=${etcdUrl}`,
      "--service-cluster-ip-range=10.96.0.0/16",
      "--authorization-mode=Node,RBAC",
      "--allow-privileged=true",
      "--enable-admission-plugins=NodeRestriction",
      "--kubelet-preferred-address-types=InternalIP",
      `--client-ca-file=${credentials.file("ca.crt")}`,
      `--tls-cert-file=${credentials.file("server.crt")}`,
      `--tls-private-key-file=${credentials.file("server.key")}`,
      `--kubelet-client-certificate=${credentials.file("kubelet-client.crt")}`,
      `--kubelet-client-key=${credentials.file("kubelet-client.key")}`,
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      `--service-account-key-file=${credentials.file("sa.pub")}`,
      `--service-account-signing-key-file=${credentials.file("sa.key")}`,
    ]),
    controllerManager: service("kube-controller-manager", [
      `--kubeconfig=${kubeconfig("controller-manager")}`,
      "--use-service-account-credentials",
      "--allocate-node-cidrs",
      `--cluster-cidr=${podNetwork}`,
      `--service-account-private-key-file=${credentials.file("sa.key")}`,
      `--root-ca-file=${credentials.file("ca.crt")}`,
    ]),
    scheduler: service("kube-scheduler", [`--kubeconfig=${kubeconfig("scheduler")}`]),
  };
}
