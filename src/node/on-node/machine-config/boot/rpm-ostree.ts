import { ostreeArguments, ostreeState } from "../../../engine/plugins/bootloader/ostree.ts";
import { argumentsAfter } from "../../../engine/text-after.ts";
import { type BootPlanInput, type BootTool, common, minus, union } from "./boot-tool.ts";

/** Image-based systems: a change makes a new deployment, and the booted one stays selectable. */
export const rpmOstree: BootTool = {
  name: "rpm-ostree",
  async plan({ wanted, claimed, base, host }) {
    const state = await ostreeState({ host });
    if (state !== "idle") return { impossible: `rpm-ostree is ${state ?? "not available"}: tried again` };
    const present = await ostreeArguments({ host });
    if (!present) return { impossible: "rpm-ostree does not list the boot arguments" };
    const remove = union(common(minus(present, base), claimed), wanted);
    const edit = { remove, add: wanted, keep: common(base, remove) };
    return {
      same: argumentsAfter(present, edit).join(" ") === present.join(" "),
      actions: [{ type: "ostree-arguments", edit }],
      undo: [{ type: "ostree-arguments", edit: { ...edit, add: [] } }],
    };
  },
};

export async function hasRpmOstree(host: BootPlanInput["host"]): Promise<boolean> {
  return (await ostreeState({ host })) !== undefined;
}
