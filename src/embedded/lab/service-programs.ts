import type { CommandResult } from "../../node/host/host.ts";
import type { MemoryHost } from "../../node/host/memory-host.ts";

const folder = "/run/lab/services";

interface State {
  readonly running: boolean;
  readonly enabled: boolean;
}

const changes = new Map<string, Partial<State>>([
  ["start", { running: true }],
  ["restart", { running: true }],
  ["stop", { running: false }],
  ["enable", { enabled: true }],
  ["disable", { enabled: false }],
]);

/** Services that are there as soon as somebody speaks of them, and do nothing but remember whether they run. */
export async function systemctl([verb = "", name]: readonly string[], host: MemoryHost): Promise<CommandResult> {
  if (name === undefined) return answer(["status", "daemon-reload", "daemon-reexec"].includes(verb) ? 0 : 1);
  const state = await stateOf(name, host);
  if (verb === "is-active") return state.running ? answer(0, "active\n") : answer(3, "inactive\n");
  if (verb === "is-enabled") return state.enabled ? answer(0, "enabled\n") : answer(1, "disabled\n");
  const change = changes.get(verb);
  if (!change) return answer(1);
  const { running, enabled } = { ...state, ...change };
  await host.replace(`${folder}/${name}`, `${running ? "running" : "stopped"} ${enabled ? "enabled" : "disabled"}\n`);
  return answer(0);
}

async function stateOf(name: string, host: MemoryHost): Promise<State> {
  const file = await host.read(`${folder}/${name}`);
  const words = file.type === "text" ? file.text.trim().split(" ") : [];
  return { running: words.includes("running"), enabled: words.includes("enabled") };
}

function answer(code: number, stdout = ""): CommandResult {
  return { type: "exited", code, stdout, stderr: "" };
}
