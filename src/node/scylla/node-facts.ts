import { cpusOf } from "../../language/cpu/cpu-list.ts";
import type { NodeFacts } from "../../domain/scylla/on-node/node-facts.ts";
import { scriptPaths } from "../../domain/scylla/on-node/tuning-job.ts";
import { findBootId } from "../host/boot-id.ts";
import type { Host } from "../host/host.ts";
import type { CloudOfNode } from "./cloud.ts";
import { readInterfaces } from "./network-interfaces.ts";

export async function readNodeFacts(host: Host, cloud: CloudOfNode): Promise<NodeFacts> {
  const [bootId = "", online, interfaces, blockDevices, paths, onGke] = await Promise.all([
    findBootId(host),
    host.read("/sys/devices/system/cpu/online"),
    readInterfaces(host),
    host.list("/sys/class/block"),
    existing(host),
    cloud.isGke(),
  ]);
  const cpus = online.type === "text" ? cpusOf(online.text.trim()) : [];
  if (cpus.length === 0) throw new Error("read the CPUs of the node: /sys/devices/system/cpu/online has none");
  return { bootId, cpus, interfaces, blockDevices, paths, onGke };
}

async function existing(host: Host): Promise<string[]> {
  const found = await Promise.all(
    scriptPaths.map(async ({ path, type }) => {
      // A link is followed: the kubelet refuses a file where a folder is wanted.
      const { type: is } = await host.stat(await host.real(path));
      return is === (type === "File" ? "file" : "directory") ? [path] : [];
    }),
  );
  return found.flat();
}
