import { ostreeArguments, ostreeState } from "../../../engine/plugins/bootloader/ostree.ts";
import { areSame, type BootPlanInput, type BootTool, common, minus, run, union } from "./boot-tool.ts";

/** Image-based systems: a change makes a new deployment, and the booted one stays selectable. */
export const rpmOstree: BootTool = {
  name: "rpm-ostree",
  async plan({ wanted, claimed, base, host }) {
    const state = await ostreeState({ host });
    if (state !== "idle") return { impossible: `rpm-ostree is ${state ?? "not available"}: tried again` };
    const present = await ostreeArguments({ host });
    if (!present) return { impossible: "rpm-ostree does not list the boot arguments" };
    const ours = common(minus(present, base), claimed);
    return {
      same: areSame(ours, wanted),
      actions: [run("rpm-ostree", "kargs", ...kargsOptions(ours, wanted))],
      undo: [run("rpm-ostree", "kargs", ...kargsOptions(union(ours, wanted), []))],
    };
  },
};

/** One transaction: everything that an earlier config has added goes, everything new comes, in order. */
export function kargsOptions(old: readonly string[], wanted: readonly string[]): string[] {
  return [...old.map((word) => `--delete-if-present=${word}`), ...wanted.map((word) => `--append=${word}`)];
}

/** What the undo of a claim would remove: what its config may have added. */
export function deletedBy(argv: readonly string[]): string[] {
  const option = "--delete-if-present=";
  return argv.filter((word) => word.startsWith(option)).map((word) => word.slice(option.length));
}

export async function hasRpmOstree(host: BootPlanInput["host"]): Promise<boolean> {
  return (await ostreeState({ host })) !== undefined;
}
