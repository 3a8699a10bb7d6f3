import { cpusOf } from "../../language/cpu/cpu-list.ts";
import type { CommandResult } from "../../node/host/host.ts";
import type { MemoryHost } from "../../node/host/memory-host.ts";

/** Queues of a network card, as many as there are CPUs unless set otherwise. Of what else cards have, it knows nothing. */
export async function ethtool(
  [option = "", card = "", name, count]: readonly string[],
  host: MemoryHost,
): Promise<CommandResult> {
  const most = cpusOf(await text(host, "/sys/devices/system/cpu/online")).length;
  const path = `/run/lab/channels/${card}`;
  if (!(await host.list("/sys/class/net")).includes(card)) return refused(`no device ${card}`);
  if (option === "-l") {
    const now = (await text(host, path)).trim() || String(most);
    const stdout = [
      `Channel parameters for ${card}:`,
      "Pre-set maximums:",
      `Combined:\t${most}`,
      "Current hardware settings:",
      `Combined:\t${now}`,
    ];
    return { type: "exited", code: 0, stdout: `${stdout.join("\n")}\n`, stderr: "" };
  }
  if (option !== "-L" || name !== "combined" || !/^[1-9][0-9]{0,4}$/.test(count ?? "") || Number(count) > most)
    return refused(`${[option, card, name, count].join(" ").trim()}: not supported`);
  await host.replace(path, `${count}\n`);
  return { type: "exited", code: 0, stdout: "", stderr: "" };
}

function refused(why: string): CommandResult {
  return { type: "exited", code: 1, stdout: "", stderr: `ethtool: ${why}\n` };
}

async function text(host: MemoryHost, path: string): Promise<string> {
  const file = await host.read(path);
  return file.type === "text" ? file.text : "";
}
