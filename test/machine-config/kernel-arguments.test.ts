import { describe } from "vitest";
import { splitArguments } from "../../src/language/tuned/boot-arguments.ts";
import { comparedWithKernel } from "../../src/node/on-node/machine-config/boot/plan-boot.ts";
import { areSame, minus } from "../../src/node/on-node/machine-config/boot/boot-tool.ts";
import { kargsOptions } from "../../src/node/engine/ostree-arguments.ts";
import { extensionChange } from "../../src/node/on-node/machine-config/plan-system.ts";
import { agreesWithRecorded, casesOf } from "./parity.ts";

type Case = { id: string; expect: unknown } & (
  | { check: "split"; arguments: string[] }
  | { check: "change"; old: string[]; new: string[] }
  | { check: "running"; requested: string[]; cmdline: string }
  | { check: "verify"; config: string[]; booted: string }
  | { check: "extensions"; installed: string[]; extensions: string[] }
);

const cases = casesOf<Case>("kernel-arguments");

describe("boot arguments and extensions, by the recorded cases", () => {
  agreesWithRecorded(
    cases,
    {
      // machine-config W-25
      "kargs-same": { rpmOstreeKargs: [] },
      // machine-config W-11
      "kargs-running-duplicate": { kernelArguments: ["a"] },
      "kargs-verify-order": { ok: false },
    },
    actual,
  );
});

function actual(recorded: Case): unknown {
  switch (recorded.check) {
    case "split":
      return { parsed: recorded.arguments.flatMap(splitArguments) };
    case "change": {
      const { old, new: wanted } = recorded;
      return { rpmOstreeKargs: areSame(old, wanted) ? [] : kargsOptions(old, wanted) };
    }
    case "running": {
      const { requested: wanted, cmdline } = recorded;
      const { missing } = comparedWithKernel(cmdline, { wanted, base: [], before: [] });
      return { kernelArguments: minus(wanted, missing).toSorted() };
    }
    case "verify": {
      const wanted = recorded.config.flatMap(splitArguments);
      const { missing, left } = comparedWithKernel(recorded.booted, { wanted, base: [], before: [] });
      return { ok: missing.length === 0 && left.length === 0 };
    }
    case "extensions": {
      const { install, uninstall } = extensionChange(recorded.installed, recorded.extensions);
      const options = (flag: string, names: readonly string[]): string[] => names.flatMap((name) => [flag, name]);
      return { rpmOstreeArguments: [...options("--install", install), ...options("--uninstall", uninstall)] };
    }
  }
}
