import { type Answer, type Answers, type Probe, probeKey } from "../../src/language/tuned/probe.ts";

/** The surroundings that a recorded case was given. */
export interface RecordedEnvironment {
  files?: Record<string, string | null>;
  exec?: Record<string, { rc: number; out: string; err?: string }> | undefined;
  /** Directory of a CPU → its package. */
  cpu_tree?: Record<string, number>;
  uncore_tree?: Record<string, number | null>;
}

const cpus = "/sys/devices/system/cpu";

/** Answers what the recorded environment has, and programs that print their arguments. */
export function answerFrom(env: RecordedEnvironment, probe: Probe): Answer {
  if (probe.type === "exec") {
    const result = env.exec?.[probe.argv.join(" ")];
    if (result) return result.rc === 0 ? { type: "text", text: result.out } : { type: "none", message: result.err };
    if (probe.argv[0] === "echo") return { type: "text", text: `${probe.argv.slice(1).join(" ")}\n` };
    return { type: "none", message: "no such program" };
  }
  const files = filesOf(env);
  if (probe.type === "file") {
    const text = files.get(probe.path);
    return text === undefined ? { type: "none" } : { type: "text", text };
  }
  const prefix = `${probe.path}/`;
  const names = [
    ...files.keys(),
    ...Object.keys(env.uncore_tree ?? {}).map((name) => `${cpus}/intel_uncore_frequency/${name}/`),
  ]
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length).split("/")[0]);
  return { type: "text", text: [...new Set(names)].join("\n") };
}

function filesOf({ files = {}, cpu_tree = {}, uncore_tree = {} }: RecordedEnvironment): Map<string, string> {
  const all = new Map<string, string>();
  for (const [path, text] of Object.entries(files)) if (text !== null) all.set(path, text);
  for (const [cpu, id] of Object.entries(cpu_tree)) all.set(`${cpus}/${cpu}/topology/physical_package_id`, `${id}\n`);
  for (const [name, id] of Object.entries(uncore_tree))
    if (id !== null) all.set(`${cpus}/intel_uncore_frequency/${name}/package_id`, `${id}\n`);
  return all;
}

type Question = { type: "needs"; probes: readonly Probe[] };

/** Asks, answers, and asks again, until nothing is asked any more. */
export function untilAnswered<T extends object>(
  env: RecordedEnvironment,
  attempt: (answers: Answers) => T,
): Exclude<T, Question> {
  const answers = new Map<string, Answer>();
  for (let round = 0; round < 20; round++) {
    const result = attempt(answers);
    if (!isQuestion(result)) return result as Exclude<T, Question>;
    for (const probe of result.probes) answers.set(probeKey(probe), answerFrom(env, probe));
  }
  throw new Error("the same questions again and again");
}

function isQuestion(result: object): result is Question {
  return "type" in result && result.type === "needs";
}
