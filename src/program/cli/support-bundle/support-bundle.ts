import { open, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Client } from "../../../cluster/kube/client.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { isApiError } from "../../../cluster/kube/api-error.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import { writeTar } from "../../../node/snapshot/write-tar.ts";
import { readOnlyClient } from "../../gather/read-only-client.ts";
import { version } from "../../version.ts";
import type { supportBundleFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { gatherStatus } from "../status/gather-status.ts";
import { statusReport } from "../status/status-report.ts";
import { statusText } from "../status/status-text.ts";
import { serialised } from "../terminal/serialise.ts";
import { coloursOf, type CommandContext, printable, processTerminal, shellWord } from "../terminal/terminal.ts";
import { clustersToRead } from "../up/running-cluster.ts";
import { Bundle, type BundlePart } from "./bundle.ts";
import { collect, type Counts } from "./collect.ts";
import { redactText } from "./redact.ts";

export type SupportBundleOptions = Values<typeof supportBundleFlags>;

/** Of all files together, before they are compressed: what a mail or a ticket takes. */
const mostBytes = 64 * 1_048_576;

/** `attune support-bundle`. */
export async function supportBundle(options: SupportBundleOptions): Promise<void> {
  const terminal = processTerminal();
  const { kubeconfig, context: contexts = [] } = options;
  const connections = await clustersToRead({ kubeconfig, contexts }, { note: terminal.err });
  const clusters = connections.map((connection) => ({ name: connection.name, client: new HttpClient(connection) }));
  try {
    await supportBundleOf(clusters, options, { terminal, signal: stopOnSignals().signal });
  } finally {
    for (const { client } of clusters) client.close();
  }
}

export interface NamedClient {
  /** Its context: of several clusters, each has a folder. */
  readonly name: string;
  readonly client: Client;
}

export async function supportBundleOf(
  clusters: readonly NamedClient[],
  { namespace, systemNamespace, file }: Pick<SupportBundleOptions, "namespace" | "systemNamespace" | "file">,
  {
    terminal,
    signal,
    now = new Date(),
    most = mostBytes,
  }: CommandContext & { readonly now?: Date; readonly most?: number },
): Promise<void> {
  const folder = `attune-support-${now.toISOString().slice(0, 19).replaceAll(":", "-")}`;
  const path = file ?? `${folder}.tar.gz`;
  // Before the cluster is read: a bundle is never lost because its file cannot be written.
  const handle = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "EEXIST" ? "the file exists; name another with --file" : error.message;
    throw new Error(`support-bundle: write ${path}: ${why}`, { cause: error });
  });
  try {
    const bundle = new Bundle(folder, most);
    const all: Counts[] = [];
    for (const { name, client } of clusters) {
      const part = clusters.length > 1 ? bundle.under(fileName(name)) : bundle;
      const read = { client: readOnlyClient(client), namespace, system: systemNamespace, signal };
      try {
        all.push(await addCluster(part, read, now));
      } catch (error) {
        if (clusters.length === 1 || !isApiError(error)) throw error;
        // The other one may say why.
        part.leave("the cluster", errorText(error));
      }
    }
    const counts = {
      objects: sum(all.map(({ objects }) => objects)),
      events: sum(all.map(({ events }) => events)),
      logs: sum(all.map(({ logs }) => logs)),
    };
    const bytes = await promisify(gzip)(await writeTar(bundle.entries()));
    await handle.writeFile(bytes);
    const hasOthers = clusters.length === 1 && all.some(({ nodePools }) => nodePools > 0);
    terminal.out(summary(path, { counts, bytes: bytes.length, leftOut: bundle.leftOut, hasOthers }));
  } catch (error) {
    await rm(path);
    throw error;
  } finally {
    await handle.close();
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Names of contexts often are addresses. */
function fileName(context: string): string {
  return context.replaceAll(/[^\w.-]/g, "-").replace(/^\.+/, "");
}

async function addCluster(bundle: BundlePart, source: Parameters<typeof gatherStatus>[0], now: Date): Promise<Counts> {
  const { client, namespace, system, signal } = source;
  bundle.add("versions.json", await serialised(await versions(client, signal), "json"));
  await addStatus(bundle, source, now);
  return collect({ client, namespaces: [...new Set([namespace, system])], bundle, signal });
}

async function versions(client: Client, signal: AbortSignal): Promise<unknown> {
  const { platform, arch, version: node } = process;
  const cluster = await client.raw("GET", "/version", undefined, { signal });
  return { attune: version, node, platform: `${platform}/${arch}`, cluster };
}

async function addStatus(bundle: BundlePart, source: Parameters<typeof gatherStatus>[0], now: Date): Promise<void> {
  try {
    const report = statusReport(await gatherStatus(source), now.getTime());
    const text = statusText(report, { wide: true, by: "pool", now: now.getTime(), colours: coloursOf(false) });
    bundle.add("status.txt", redactText(text));
  } catch (error) {
    // The rest of the bundle is about why.
    bundle.leave("status.txt", errorText(error));
  }
}

function summary(
  path: string,
  {
    counts,
    bytes,
    leftOut,
    hasOthers,
  }: {
    readonly counts: Omit<Counts, "nodePools">;
    readonly bytes: number;
    readonly leftOut: readonly string[];
    /** Nodes of NodePools are in clusters that were not named. */
    readonly hasOthers: boolean;
  },
): string {
  const { objects, events, logs } = counts;
  return [
    `${printable(path)}: ${Math.ceil(bytes / 1000)} kB with ${objects} objects, ${events} events and ${logs} logs`,
    "",
    "Not in it: Secrets, values of environment variables, contents of files for",
    "nodes, and what looks like a token, password or key. Names of nodes, pods and",
    "labels are in it: look before you pass it on.",
    ...(hasOthers ? ["", "Nodes of NodePools are in hosted clusters: name these too, with another --context."] : []),
    ...(leftOut.length === 0
      ? []
      : ["", `Left out (${leftOut.length}):`, ...leftOut.slice(0, shown).map((line) => `  ${printable(line)}`)]),
    ...(leftOut.length > shown ? [`  and ${leftOut.length - shown} more, in left-out.txt`] : []),
    "",
    `to look: tar tzf ${shellWord(path)}`,
    "",
  ].join("\n");
}

const shown = 10;
