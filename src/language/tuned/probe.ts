/**
 * A question that only the node can answer. `resolve` returns it to its caller: the agent answers it through its Host, a
 * preview shows it as unresolved.
 */
export type Probe =
  /** The output of a program. Running it may have effects, so only the node that applies the profile does. */
  | { readonly type: "exec"; readonly argv: readonly string[] }
  | { readonly type: "file"; readonly path: string }
  /** The names in a folder, one to a line. */
  | { readonly type: "list"; readonly path: string };

/** `none`: the node has no answer; TuneD then leaves the call as it is written. */
export type Answer =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "none"; readonly message?: string | undefined }
  /** The program may not be run: what depends on it is left out of the profile. `by`: which rule says so. */
  | { readonly type: "refused"; readonly by: string };

export type Answers = ReadonlyMap<string, Answer>;

export const noAnswers: Answers = new Map();

/** The key of its answer in `Answers`. */
export function probeKey(probe: Probe): string {
  return JSON.stringify(probe.type === "exec" ? [probe.type, ...probe.argv] : [probe.type, probe.path]);
}

/** What profiles run to learn about the node, ours among them. */
const harmless = [["lscpu"], ["virt-what"], ["uname", "-r"], ["uname", "-snrvm"]].map((argv) => argv.join("\0"));

/** Whether the answer has no effects on the node: files are read, and programs only if they are known to change nothing. */
export function isHarmless(probe: Probe): boolean {
  return probe.type !== "exec" || harmless.includes(probe.argv.join("\0"));
}

/** Whether a text that is not yet expanded runs a program that a node may refuse to run. */
export function mayBeRefused(text: string): boolean {
  const harmful = text.replaceAll(/\$\{f:exec:([^${}]*)\}/g, (call, argv: string) =>
    isHarmless({ type: "exec", argv: argv.split(":") }) ? "" : call,
  );
  return harmful.includes("${f:exec");
}

/** The answer that is missing, in words: `the output of \`virt-what\``. */
export function describeProbe(probe: Probe): string {
  if (probe.type === "exec") return `the output of \`${probe.argv.join(" ")}\``;
  return probe.type === "file" ? `the content of ${probe.path}` : `the names in ${probe.path}`;
}

/** Each question once, in order. */
export function distinctProbes(probes: readonly Probe[]): Probe[] {
  return [...new Map(probes.map((probe) => [probeKey(probe), probe])).values()];
}
