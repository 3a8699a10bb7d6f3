import type { Command } from "commander";
import { HttpClient } from "../../../cluster/kube/http-client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { LinkedAbort } from "../../../cluster/kube/linked-abort.ts";
import { tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { writeOut } from "../terminal/terminal.ts";
import { clusterToRead } from "../up/running-cluster.ts";
import { type Candidates, candidates } from "./candidates.ts";

/** A shell waits for the answer after each press of the key. */
const timeoutMs = 2_000;

/** Prints what may stand in the place of the last word: one line for each, with a tab before what it is. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const found = candidates(program, words);
  if (found.type === "any") return;
  const lines =
    found.type === "words"
      ? found.words.map(({ text, about }) => (about === "" ? text : `${text}\t${about}`))
      : (await namesOf(found)).filter((name) => name.startsWith(words.at(-1) ?? ""));
  writeOut(lines.map((line) => `${line}\n`).join(""));
}

async function namesOf({ of, flags }: Extract<Candidates, { type: "names" }>): Promise<string[]> {
  const stop = new LinkedAbort(new AbortController().signal);
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  try {
    const client = new HttpClient(
      await clusterToRead(
        { kubeconfig: flags.get("--kubeconfig"), context: flags.get("--context") },
        // A message would stand in the middle of what is being typed.
        { about: "nodes", note: () => {} },
      ),
    );
    try {
      const { signal } = stop;
      const namespace = flags.get("--namespace") ?? (of === "tuned" ? tuningNamespace : client.connection.namespace);
      const kind = { node: kinds.node, tuned: tunedKind, pod: kinds.pod }[of];
      const { items } = await client.list(
        kind as typeof kinds.node,
        of === "node" ? { signal } : { namespace, signal },
      );
      return items.map(({ metadata }) => metadata.name ?? "");
    } finally {
      client.close();
    }
  } catch {
    // Without a cluster nothing is known, and a message would stand in the middle of what is being typed.
    return [];
  } finally {
    clearTimeout(timer);
  }
}
