import { splitArguments } from "../../../../language/tuned/boot-arguments.ts";
import type { Action } from "../../../engine/action.ts";
import type { Host } from "../../../host/host.ts";
import { areSame, type BootTool, common, run, timeoutMs, union } from "./boot-tool.ts";

export async function findGrubby(host: Pick<Host, "run">): Promise<BootTool | undefined> {
  const answer = await host.run(["grubby", "--info=DEFAULT"]);
  return answer.type === "exited" && answer.code === 0 ? toolOf(answer.stdout) : undefined;
}

/** grubby sets an argument in place of others with its name, and splits at every blank. */
function toolOf(info: string): BootTool {
  const value = (name: string): string => new RegExp(`^${name}="?(.*?)"?$`, "m").exec(info)?.[1] ?? "";
  const present = splitArguments(value("args"));
  return {
    name: "grubby",
    async plan({ wanted, claimed, base, host }) {
      const spaced = wanted.find((word) => /\s/.test(word));
      if (spaced !== undefined) return { impossible: `grubby cannot set ${spaced}, which has a blank` };
      const ours = common(present, claimed);
      const remove = union(ours, wanted);
      const names = new Set(remove.map(nameOf));
      return {
        same: areSame(common(present, wanted), wanted) && ours.every((word) => wanted.includes(word)),
        actions: [
          ...(await keepPrevious({ kernel: value("kernel"), initrd: value("initrd"), present }, host)),
          update(ours, wanted),
        ],
        undo: [
          update(
            remove,
            base.filter((word) => names.has(nameOf(word))),
          ),
          removePrevious,
        ],
      };
    },
  };
}

const title = "Before the last change of boot arguments";
const removePrevious: Action = {
  type: "run",
  argv: ["grubby", `--remove-kernel=TITLE=${title}`],
  tolerate: [1],
  timeoutMs,
};

interface Booted {
  readonly kernel: string;
  readonly initrd: string;
  readonly present: readonly string[];
}

async function keepPrevious({ kernel, initrd, present }: Booted, host: Pick<Host, "read">): Promise<Action[]> {
  const file = await host.read("/proc/cmdline");
  const booted = file.type === "text" ? splitArguments(file.text) : [];
  // After a crash the default entry is not the booted one any more, and the copy is there already.
  if (kernel === "" || !present.every((word) => booted.includes(word))) return [];
  const add = run(
    "grubby",
    `--add-kernel=${kernel}`,
    `--initrd=${initrd}`,
    `--title=${title}`,
    `--args=${present.join(" ")}`,
  );
  return [removePrevious, add];
}

function update(remove: readonly string[], add: readonly string[]): Action {
  const options = [
    ...(remove.length > 0 ? [`--remove-args=${remove.join(" ")}`] : []),
    ...(add.length > 0 ? [`--args=${add.join(" ")}`] : []),
  ];
  return run("grubby", "--update-kernel=ALL", ...options);
}

function nameOf(word: string): string {
  return word.split("=", 1)[0] ?? "";
}
