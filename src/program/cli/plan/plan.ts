import type { Client } from "../../../cluster/kube/client.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { changesAnything } from "../../../domain/plan/change-plan.ts";
import type { planFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { type Manifest, readManifests, readStandardInput, readTexts } from "../../manifest/read-manifests.ts";
import { serialised } from "../terminal/serialise.ts";
import { type CommandContext, printable, processTerminal, type Terminal } from "../terminal/terminal.ts";
import { isForNodePools } from "../../plan/dry-run.ts";
import { planObjects } from "../../plan/plan-objects.ts";
import { clusterToRead } from "../up/running-cluster.ts";
import { planText } from "./plan-text.ts";
import { readKustomization } from "./read-kustomization.ts";
import { readUrl } from "./read-url.ts";

export type PlanOptions = Pick<Values<typeof planFlags>, "output"> & Partial<Values<typeof planFlags>>;

/** `attune plan -f FILE…`, `-k DIR`: exit code 0 if nothing would change, 2 if something would. */
export async function plan(options: PlanOptions): Promise<void> {
  // No signal handler: the command writes nothing, so Ctrl-C may end it at once, even while it reads standard input.
  const { signal } = new AbortController();
  const context = { terminal: processTerminal(), stdin: readStandardInput, signal };
  // Before the cluster: a wrong file name is found without one.
  const read = await readFiles(options, context);
  if (typeof read === "number") return void (process.exitCode = read);
  const about = read.some(({ object }) => isForNodePools(object)) ? undefined : "nodes";
  const connection = await clusterToRead(options, { about, note: context.terminal.err });
  const client = new HttpClient(connection);
  try {
    const withNamespace = { ...options, namespace: options.namespace ?? connection.namespace };
    process.exitCode = await planManifests(client, read, { ...context, options: withNamespace });
  } finally {
    client.close();
  }
}

type PlanContext = CommandContext & { readonly stdin: () => Promise<string> };

/** What applying or deleting files would do. Changes nothing. */
export async function planOn(client: Client, options: PlanOptions, context: PlanContext): Promise<number> {
  const read = await readFiles(options, context);
  return typeof read === "number" ? read : planManifests(client, read, { ...context, options });
}

/** The objects of the files, or the exit code if they have problems. */
async function readFiles(
  { filename = [], kustomize, recursive = false }: PlanOptions,
  { terminal, stdin }: PlanContext,
): Promise<readonly Manifest[] | number> {
  if (filename.length > 0 === (kustomize !== undefined))
    throw new Error(
      "exactly one of -f (files, folders, addresses, - for standard input) and -k (a folder) is required",
    );
  const { manifests, problems } =
    kustomize === undefined
      ? await readManifests(filename, { recursive, stdin, url: readUrl })
      : await readTexts([{ name: `-k ${kustomize}`, text: await readKustomization(kustomize) }]);
  if (problems.length > 0) return refuse(problems, terminal);
  if (manifests.length === 0) throw new Error("no objects passed to plan");
  return manifests;
}

async function planManifests(
  client: Client,
  manifests: readonly Manifest[],
  { options, terminal, signal }: CommandContext & { readonly options: PlanOptions },
): Promise<number> {
  const { output: format, namespace, delete: deletes } = options;
  const planned = await planObjects({ client, manifests, namespace, deletes, signal });
  if (planned.type === "refused") return refuse(planned.problems, terminal);
  const { document } = planned;
  terminal.out(
    format === "json" || format === "yaml"
      ? await serialised(document, format)
      : planText(document, terminal.colours, { wide: format === "wide", columns: terminal.columns }),
  );
  return changesAnything(document) ? 2 : 0;
}

function refuse(problems: readonly string[], { err }: Terminal): number {
  err(problems.map((problem) => `error: ${printable(problem)}\n`).join(""));
  return 1;
}
