import type { Host } from "../host/host.ts";
import { type Answer, type Probe, probeKey } from "../../language/tuned/probe.ts";
import { type ExecRule, mayAnswer } from "./exec-policy.ts";

const timeoutMs = 5_000;

/** Where profiles read the name of the cloud provider. */
export const providerPath = "/var/lib/ocp-tuned/provider";

export interface AnswerOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: every program that a profile names is run. */
  readonly exec?: ExecRule | undefined;
}

/** Answers questions of a profile on the node. A failing program or a missing file gives no answer, as in TuneD. */
export async function answerProbes(
  probes: readonly Probe[],
  host: Host,
  options: AnswerOptions = {},
): Promise<[string, Answer][]> {
  return Promise.all(
    probes.map(async (asked): Promise<[string, Answer]> => [
      probeKey(asked),
      await answer(asFile(asked), host, options),
    ]),
  );
}

/** The default profile reads the provider's name with cat(1): no program is needed for that. */
function asFile(probe: Probe): Probe {
  const readsProvider = probe.type === "exec" && probe.argv.join(" ") === `cat ${providerPath}`;
  return readsProvider ? { type: "file", path: providerPath } : probe;
}

async function answer(probe: Probe, host: Host, { signal, exec }: AnswerOptions): Promise<Answer> {
  if (exec && !mayAnswer(probe, exec)) return { type: "refused", by: exec.by };
  if (probe.type === "list") return { type: "text", text: (await host.list(probe.path)).join("\n") };
  if (probe.type === "file") {
    const file = await host.read(probe.path);
    if (file.type === "text") return file;
    return { type: "none", message: file.type === "failed" ? file.message : "no such file" };
  }
  const result = await host.run(probe.argv, { timeoutMs, signal });
  if (result.type === "failed" && probe.argv.join(" ") === "virt-what") return virtualByCpu(host);
  if (result.type === "failed") return { type: "none", message: result.message };
  if (result.code === 0) return { type: "text", text: result.stdout };
  return { type: "none", message: (result.stderr || result.stdout).trimEnd() };
}

/** Few systems have virt-what; /proc/cpuinfo shows whether the processor is virtual. */
async function virtualByCpu(host: Host): Promise<Answer> {
  const cpuinfo = await host.read("/proc/cpuinfo");
  const virtual = cpuinfo.type === "text" && /^flags\b.*\bhypervisor\b/m.test(cpuinfo.text);
  return { type: "text", text: virtual ? "hypervisor\n" : "" };
}
