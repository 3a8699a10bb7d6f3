import type { Client } from "../../../cluster/kube/client.ts";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { type NodeStoryInput, nodeStory } from "../../../domain/fleet/node-story.ts";
import type { Found } from "../../../domain/node-tuning/explain/explain-node.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { whatThereIs } from "../../../domain/node-tuning/explain/near-names.ts";
import { stopOnSignals } from "../../../cluster/runtime/signals.ts";
import type { explainFlags } from "../flags.ts";
import type { Values } from "../option/flag.ts";
import { explainTuned } from "../../../domain/node-tuning/explain/explain-tuned.ts";
import { onlyOption } from "../../../domain/node-tuning/explain/one-option.ts";
import { clusterToRead } from "../up/running-cluster.ts";
import { podStory } from "./explain-pod.ts";
import { explanationText } from "./explain-text.ts";
import { podText } from "./pod-text.ts";
import { tunedExplanationText } from "./tuned-text.ts";
import { gatherNode, wantedSpec } from "../../explain/gather-node.ts";
import { readNodeValues } from "../../explain/node-values.ts";
import { gatherNodeTuning, gatherPods } from "../../gather/gather-node-tuning.ts";
import { readRefusals, refusalText } from "./refusals.ts";
import { readOnlyClient } from "../../gather/read-only-client.ts";
import { OneShotHost } from "../tuned/one-shot-host.ts";
import { serialised } from "../terminal/serialise.ts";
import { checkDirectory } from "../tuned/search-path.ts";
import { type CommandContext, processTerminal } from "../terminal/terminal.ts";

export type ExplainOptions = Partial<Values<typeof explainFlags>>;

/** `attune explain node NAME [OPTION]`, `attune explain tuned|pod NAME`. */
export async function explain(
  [kind = "", name = "", option]: readonly string[],
  options: ExplainOptions,
): Promise<void> {
  checkKind(kind, option);
  const terminal = processTerminal();
  const client = new HttpClient(await clusterToRead(options, { about: "nodes", note: terminal.err }));
  try {
    const { signal } = stopOnSignals();
    const { namespace } = client.connection;
    await explainOn({
      client,
      kind,
      name,
      option,
      options,
      terminal,
      signal,
      contextNamespace: namespace,
    });
  } finally {
    client.close();
  }
}

export interface ExplainRequest extends CommandContext {
  readonly client: Client;
  readonly kind: string;
  readonly name: string;
  /** Of a node: only this setting or boot argument. */
  readonly option?: string | undefined;
  readonly options: ExplainOptions;
  /** Of pods, unless one is named. */
  readonly contextNamespace?: string | undefined;
}

/** Why a node has the profile it has, what became of a Tuned, or what admission did with a pod. Changes nothing. */
export async function explainOn(request: ExplainRequest): Promise<void> {
  await explainers[checkKind(request.kind, request.option)](request);
}

const explainers = { node: explainNodeOn, tuned: explainTunedOn, pod: explainPodOn };

async function explainTunedOn({ name, options, terminal, signal, ...request }: ExplainRequest): Promise<void> {
  const { namespace = tuningNamespace, output: format = "table" } = options;
  const client = readOnlyClient(request.client);
  const { tuning } = await gatherNodeTuning({ client, namespace, now: Date.now(), signal });
  const podsOn = await gatherPods(client, tuning.tuneds, { signal });
  const explanation = explainTuned({ ...tuning, podsOn }, name);
  if (!explanation) {
    const known = tuning.tuneds.map(({ metadata }) => metadata.name ?? "");
    throw new Error(`tuneds ${JSON.stringify(name)} not found in namespace ${namespace}${whatThereIs(name, known)}`);
  }
  terminal.out(
    format === "json" || format === "yaml"
      ? await serialised(explanation, format)
      : tunedExplanationText(explanation, terminal.colours, { wide: format === "wide", columns: terminal.columns }),
  );
}

async function explainPodOn({ name, options, terminal, signal, ...request }: ExplainRequest): Promise<void> {
  const { output: format = "table", namespace = request.contextNamespace ?? "default" } = options;
  const story = await podStory({ client: readOnlyClient(request.client), name, namespace, signal });
  terminal.out(
    format === "json" || format === "yaml"
      ? await serialised(story, format)
      : podText(story, terminal.colours, terminal.columns),
  );
}

async function explainNodeOn(request: ExplainRequest): Promise<void> {
  const { name, options, terminal, signal } = request;
  const { namespace = tuningNamespace, root, exec = false, output: format = "table" } = options;
  const client = readOnlyClient(request.client);
  const input = await gatherNode(name, { client, namespace, now: Date.now(), signal });
  const found = root === undefined || !input ? undefined : await readRoot(root, input, exec);
  const story = input && nodeStory({ ...input, found });
  if (!story) throw new Error(await withoutNode(client, name, signal));
  const explanation = request.option === undefined ? story : onlyOption(story, request.option);
  terminal.out(
    format === "json" || format === "yaml"
      ? await serialised(explanation, format)
      : explanationText(explanation, terminal.colours, { wide: format === "wide", columns: terminal.columns }),
  );
}

/** A node that admission refuses does not exist; its kubelet tries again for ever. */
async function withoutNode(client: Client, name: string, signal: AbortSignal): Promise<string> {
  const refusals = await readRefusals({ client, kind: "Node", namespace: "default", signal });
  const told = refusals.filter(({ refused }) => refused === name).map(refusalText);
  if (told.length > 0) return `nodes ${JSON.stringify(name)} not found. Admission refused it ${told.join("; ")}`;
  const { items } = await client.list(kinds.node, { signal });
  const known = items.map(({ metadata }) => metadata.name ?? "");
  return `nodes ${JSON.stringify(name)} not found${whatThereIs(name, known)}`;
}

function checkKind(kind: string, option: string | undefined): keyof typeof explainers {
  const written = kind.toLowerCase();
  const names = { node: ["node", "nodes", "no"], tuned: ["tuned", "tuneds"], pod: ["pod", "pods", "po"] } as const;
  const found = (["node", "tuned", "pod"] as const).find((one) => (names[one] as readonly string[]).includes(written));
  if (found === undefined) throw new Error(`explain ${kind}: only nodes, Tuneds and pods can be explained`);
  if (option !== undefined && found !== "node")
    throw new Error(`explain ${kind}: only a node has settings, not ${option}`);
  return found;
}

/** The values of the node whose files are below `root`. */
async function readRoot(root: string, input: NodeStoryInput, programs: boolean): Promise<Found | undefined> {
  const host = new OneShotHost(root);
  await checkDirectory("--root", root, { host, directory: "/" });
  const spec = wantedSpec(input);
  return spec && readNodeValues(spec, host, programs);
}
