import type {
  HostFacts,
  HostFile,
  KubeletFacts,
  RuntimeFacts,
} from "../../../../domain/machine-config/plain-hosts/host-facts.ts";
import { text as textOf } from "../../../../language/object/json.ts";
import type { Ledger } from "../../../engine/ledger.ts";
import type { Host } from "../../../host/host.ts";
import { runtimesFile } from "./containerd-config.ts";
import { trustCommand } from "../trust.ts";
import { type Command, commandOfUnit, flagsOf, kubeletCommand, runningCommand } from "./kubelet-command.ts";

/** K3s and RKE2 make the configuration of containerd at every start. */
const distributions = ["/var/lib/rancher/k3s/agent/etc", "/var/lib/rancher/rke2/agent/etc"];

const defaultSocket = /^(?:\/var)?\/run\/containerd\/containerd\.sock$/;

/** How this host configures its kubelet and its container runtime; texts of files are those before Attune changed them. */
export async function hostFacts(host: Host, ledger: Ledger): Promise<HostFacts> {
  const found = await kubeletCommand(host);
  const kubelet = found && (await kubeletFacts(found, host, ledger));
  const readsAnchors = (await trustCommand(host)) !== undefined;
  return { kubelet, runtime: await runtimeFacts(kubelet, host, ledger), readsAnchors };
}

async function kubeletFacts({ argv, service }: Command, host: Host, ledger: Ledger): Promise<KubeletFacts> {
  const flags = flagsOf(argv);
  const config = flags["config"];
  const dropIns = flags["config-dir"] ?? (await dropInsOfDistribution(host));
  const isKubelet = /(^|\/)kubelet$/.test(argv[0] ?? "");
  return {
    service,
    flags,
    // The flag of K3s of this name is for a file of its own.
    ...(isKubelet && config ? { config: await originalFile(config, host, ledger) } : {}),
    ...(dropIns ? { dropInFolder: dropIns } : {}),
  };
}

async function dropInsOfDistribution(host: Host): Promise<string | undefined> {
  for (const folder of distributions.map((etc) => `${etc}/kubelet.conf.d`))
    if ((await host.stat(folder)).type === "directory") return folder;
  return undefined;
}

/** What a distribution has made for containerd, and the folder of it and its template. */
async function madeByDistribution(host: Host): Promise<{ readonly folder: string; readonly text: string } | undefined> {
  for (const folder of distributions.map((etc) => `${etc}/containerd`)) {
    const made = await host.read(`${folder}/config.toml`);
    if (made.type === "text") return { folder, text: made.text };
  }
  return undefined;
}

async function runtimeFacts(kubelet: KubeletFacts | undefined, host: Host, ledger: Ledger): Promise<RuntimeFacts> {
  const stated = /^containerRuntimeEndpoint:\s*["']?(\S+?)["']?\s*$/m.exec(kubelet?.config?.text ?? "")?.[1];
  const endpoint = kubelet?.flags["container-runtime-endpoint"] ?? stated ?? "";
  if (endpoint.includes("crio")) return { type: "cri-o" };
  if (endpoint !== "" && !endpoint.includes("containerd")) return { type: "unknown" };
  const version = await host.run(["containerd", "--version"]);
  const made = await madeByDistribution(host);
  const running = (await runningCommand(host, ["containerd"])) ?? (await commandOfUnit(host, "containerd.service"));
  if (!running && !made) return { type: "unknown" };
  const release = /\bv?([0-9]+)\.[0-9]+\.[0-9]+/.exec(version.type === "exited" ? version.stdout : "")?.[1];
  const format = Number(release ?? 1) >= 2 ? 3 : 2;
  if (made) {
    const name = /^version = 3/m.test(made.text) ? "config-v3.toml.tmpl" : "config.toml.tmpl";
    const config = await originalFile(`${made.folder}/${name}`, host, ledger);
    return { type: "containerd", config, madeFrom: made.text, format };
  }
  const flags = flagsOf(running?.argv ?? []);
  const path = await runtimesFile(flags["config"] ?? flags["c"] ?? "/etc/containerd/config.toml", host);
  const socket = endpoint.replace(/^unix:\/\//, "");
  const at = socket === "" || defaultSocket.test(socket) ? {} : { socket };
  return { type: "containerd", config: await originalFile(path, host, ledger), format, ...at };
}

/** A file as it was before the machine config changed it. */
async function originalFile(path: string, host: Host, ledger: Ledger): Promise<HostFile> {
  const kept = ledger.find(path)?.undo.find((action) => action.type === "place" && action.path === path);
  if (kept?.type === "place") {
    const { placed } = kept;
    return placed.kind === "file"
      ? { path, mode: placed.mode, text: textOf(placed.content) }
      : { path, mode: 0o644, text: undefined };
  }
  const [found, stat] = [await host.read(path), await host.stat(path)];
  const mode = stat.type === "file" ? stat.mode : 0o644;
  return { path, mode, text: found.type === "text" ? found.text : undefined };
}
