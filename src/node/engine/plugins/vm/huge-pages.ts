import { activeOption } from "../../../../language/tuned/value.ts";
import type { Setting } from "../../../../language/tuned/unit.ts";
import { isAsWanted } from "../../wanted-value.ts";
import type { Observe, Step } from "../../plugin.ts";

const folders = ["/sys/kernel/mm/transparent_hugepage", "/sys/kernel/mm/redhat_transparent_hugepage"];

export async function planHugePages(option: string, setting: Setting, observe: Observe): Promise<Step[]> {
  const about = { option, from: setting.from };
  if (!["always", "madvise", "never"].includes(setting.value)) {
    const message = `${JSON.stringify(setting.value)} is not always, madvise or never`;
    return [{ ...about, type: "skipped", message }];
  }
  const cmdline = await observe.host.read("/proc/cmdline");
  if (cmdline.type === "text" && cmdline.text.indexOf("transparent_hugepage=") > 0) {
    const message = "the kernel command line sets transparent_hugepage=";
    return [{ ...about, type: "skipped", level: "info", message }];
  }
  // TuneD verifies only one of the two names (Q14).
  return [await planFile({ name: "enabled", option, verified: option === "transparent_hugepages" }, setting, observe)];
}

export async function planDefrag(option: string, setting: Setting, observe: Observe): Promise<Step[]> {
  return [await planFile({ name: "defrag", option, verified: true }, setting, observe)];
}

interface HugePageFile {
  readonly name: "enabled" | "defrag";
  readonly option: string;
  readonly verified: boolean;
}

async function planFile(
  { name, option, verified }: HugePageFile,
  { value, from }: Setting,
  observe: Observe,
): Promise<Step> {
  for (const folder of folders) {
    const target = `${folder}/${name}`;
    const file = await observe.host.read(target);
    if (file.type === "missing") continue;
    if (file.type === "failed") return { type: "impossible", option, from, message: file.message, verified };
    const before = activeOption(file.text);
    return {
      type: isAsWanted(value, before, observe) ? "same" : "change",
      option,
      from,
      target,
      before,
      value,
      actions: [{ type: "write", path: target, value }],
      undo: [{ type: "write", path: target, value: before }],
      verified,
    };
  }
  return { type: "impossible", option, from, message: "this node's kernel has no transparent huge pages", verified };
}
