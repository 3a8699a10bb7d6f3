import { longestCommandLine, tooLong } from "../../../../domain/machine-config/machine-contents.ts";
import { splitArguments } from "../../../../language/tuned/boot-arguments.ts";
import type { Action } from "../../../engine/action.ts";
import type { Claim, Ledger } from "../../../engine/ledger.ts";
import { unwritable } from "../../../engine/plugins/bootloader/state.ts";
import type { UnitStep } from "../../../engine/unit-step.ts";
import type { Host } from "../../../host/host.ts";
import { machineConfigOwner as owner } from "../place-step.ts";
import { type BootTool, common, minus } from "./boot-tool.ts";
import { findGrub } from "./grub.ts";
import { findGrubby } from "./grubby.ts";
import { findEntries, withNewKernels } from "./loader-entries.ts";
import { hasRpmOstree, rpmOstree } from "./rpm-ostree.ts";

export const bootTarget = "boot arguments";

export interface PlanBoot {
  readonly wanted: readonly string[];
  readonly config: string;
  readonly host: Host;
  readonly ledger: Ledger;
}

/** Arguments for the next boot, with the tool that the node has. Without arguments the ledger gives back what it holds. */
export async function planBoot({ wanted, config, host, ledger }: PlanBoot): Promise<UnitStep[]> {
  if (wanted.length === 0) return [];
  const about = { unit: owner, option: "kernelArguments", from: config };
  const refused = unwritable(wanted.join(" "));
  if (refused !== undefined) return [{ ...about, type: "impossible", message: refused }];
  const tool = await toolOf(host);
  if (!tool)
    return [
      {
        ...about,
        type: "impossible",
        message: "the node has neither rpm-ostree, grubby, GRUB's tools nor boot loader entries to set them with",
      },
    ];
  const entry = ledger.find(bootTarget);
  const own = entry?.claims.find((claim) => claim.owner === owner);
  const running = splitArguments(await commandLine(host));
  const base = entry ? splitArguments(entry.before) : running;
  const { length } = [...base, ...wanted].join(" ");
  if (length > longestCommandLine) return [{ ...about, type: "impossible", message: tooLong(length) }];
  const plan = await tool.plan({ wanted, claimed: own ? claimedBy(own) : [], base, earlier: own?.actions ?? [], host });
  if ("impossible" in plan) return [{ ...about, type: "impossible", message: plan.impossible }];
  return [
    {
      ...about,
      type: plan.same ? "same" : "change",
      target: bootTarget,
      before: base.join(" "),
      value: wanted.join(" "),
      actions: plan.actions,
      undo: plan.undo,
      undoesValue: true,
      lasts: "persistent",
    },
  ];
}

/** Makes the ledger give back the arguments of kernels too that were installed since. */
export async function followKernels(ledger: Ledger, host: Pick<Host, "list">): Promise<void> {
  const { undo = [] } = ledger.find(bootTarget)?.claims.find((claim) => claim.owner === owner) ?? {};
  const now = await withNewKernels(undo, host);
  if (now !== undo) ledger.rebase(bootTarget, now, owner);
}

async function toolOf(host: Host): Promise<BootTool | undefined> {
  if (await hasRpmOstree(host)) return rpmOstree;
  return (await findGrubby(host)) ?? (await findEntries(host)) ?? findGrub(host);
}

/** What a claim has added, or may have, where a crash came in between. */
function claimedBy({ value, undo = [] }: Claim): string[] {
  const added = splitArguments(value);
  return [...added, ...minus(undo.flatMap(removedBy), added)];
}

function removedBy(action: Action): readonly string[] {
  if (action.type === "ostree-arguments") return action.edit.remove;
  if (action.type === "edit" && action.edit.kind === "arguments") return action.edit.remove;
  const option = action.type === "run" ? action.argv.find((word) => word.startsWith("--remove-args=")) : undefined;
  return splitArguments(option?.slice("--remove-args=".length) ?? "");
}

/** What the running kernel lacks of the arguments, and what it still has of those that an earlier config had. */
export function comparedWithKernel(
  cmdline: string,
  { wanted, base, before }: { wanted: readonly string[]; base: readonly string[]; before: readonly string[] },
): { readonly missing: readonly string[]; readonly left: readonly string[] } {
  const running = splitArguments(cmdline);
  const beyond = minus(minus(running, wanted), base);
  return { missing: minus(wanted, running), left: common(beyond, before) };
}

export async function commandLine(host: Pick<Host, "read">): Promise<string> {
  const file = await host.read("/proc/cmdline");
  return file.type === "text" ? file.text : "";
}
