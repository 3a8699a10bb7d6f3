import { parseInteger } from "../../../language/cpu/integer.ts";
import { isAsWanted, wantedValue } from "../wanted-value.ts";
import type { Plugin, Step } from "../plugin.ts";
import { unknownOption } from "./steps.ts";

const option = "avc_cache_threshold";
const folders = ["/sys/fs/selinux", "/selinux"];

/** `[selinux]`: the size of SELinux' cache of decisions. */
export const selinux: Plugin = {
  type: "selinux",
  async plan({ options }, observe) {
    const steps: Step[] = [];
    for (const [name, setting] of options) if (name !== option) steps.push(unknownOption("selinux", name, setting));
    const setting = options.get(option);
    if (!setting) return steps;
    const about = { option, from: setting.from };
    for (const folder of folders) {
      const target = `${folder}/avc/cache_threshold`;
      const file = await observe.host.read(target);
      if (file.type !== "text") continue;
      const before = file.text.trim();
      const value = wantedValue(setting.value, target, before, observe);
      if ((parseInteger(value) ?? -1n) < 0n)
        return [...steps, { ...about, type: "impossible", message: `${JSON.stringify(value)} is not a number` }];
      return [
        ...steps,
        {
          ...about,
          type: isAsWanted(value, before, observe) ? "same" : "change",
          target,
          before,
          value,
          actions: [{ type: "write", path: target, value }],
          undo: [{ type: "write", path: target, value: before }],
        },
      ];
    }
    const message = "SELinux is not enabled on this node, or has no cache to set";
    return [...steps, { ...about, type: "skipped", level: "info", message }];
  },
};
