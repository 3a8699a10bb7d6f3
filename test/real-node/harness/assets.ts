import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { networkPlugins } from "./node-programs.ts";
import { staticProgram } from "./small-image.ts";

const programs = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy"];
const tools = ["containerd", "runc", "ctr", "iptables", "kubectl", "ip", "unshare", "nsenter", "bash"];

export type Assets =
  | { readonly type: "found"; readonly folder: string; readonly image: string }
  | { readonly type: "missing"; readonly reason: string };

/** What a real node needs and this project does not contain, or why there is no real node. */
export function findAssets({ ATTUNE_NODE_ASSETS: folder, ATTUNE_NODE_IMAGE: image }: NodeJS.ProcessEnv): Assets {
  const missing = (reason: string): Assets => ({ type: "missing", reason });
  if (!folder) return missing("ATTUNE_NODE_ASSETS names no folder with the programs of Kubernetes");
  const absent = programs.filter((name) => !existsSync(join(folder, name)));
  if (absent.length > 0) return missing(`${folder} has no ${absent.join(", ")}`);
  if (!image || !existsSync(image)) return missing("ATTUNE_NODE_IMAGE names no archive of Attune's image");
  const tool = tools.find((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0);
  if (tool) return missing(`${tool} is not installed`);
  for (const path of [networkPlugins, staticProgram]) if (!existsSync(path)) return missing(`there is no ${path}`);
  if (!existsSync("/sys/fs/cgroup/memory")) return missing("this machine has no control groups of version 1");
  if (process.getuid?.() !== 0) return missing("only root can create the namespaces of a node");
  return { type: "found", folder, image };
}
