import type { Values } from "../option/flag.ts";
import { findTuned } from "../../../node/engine/tuned-daemon/other-tuned.ts";
import { readBootId } from "../../../node/host/boot-id.ts";
import type { Host } from "../../../node/host/host.ts";
import { loadRecord } from "../../../node/on-node/tuning-record.ts";
import { serialised } from "../terminal/serialise.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";
import { loadApplied } from "./applied-record.ts";
import type { activeFlags } from "./flags.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { checkDirectory } from "./search-path.ts";
import { tunedPreset } from "./tuned-preset.ts";

export type ActiveOptions = Values<typeof activeFlags>;

interface Active {
  readonly profile: string;
  readonly postLoaded?: string | undefined;
  /** What applied it. */
  readonly by: string;
  /** False: it is only preset. */
  readonly applied: boolean;
  readonly note?: string | undefined;
}

/** `attune tuned active`: the profile in force on this host. Exit code 1 if there is none, as of `tuned-adm active`. */
export async function active({ root, output }: ActiveOptions, terminal: Terminal): Promise<number> {
  const host = new OneShotHost(root);
  await checkDirectory("--root", root, { host, directory: "/" });
  const found = (await byAgent(host)) ?? (await byCommand(host)) ?? (await byTuned(host));
  if (output !== "table") terminal.out(await serialised(found ?? { applied: false }, output));
  else terminal.out(found ? text(found) : "No current active profile.\n");
  return found ? 0 : 1;
}

async function byAgent(host: Host): Promise<Active | undefined> {
  const record = await loadRecord(host);
  if (!record) return undefined;
  const { node, bootId, complete, spec } = record;
  const before = bootId === (await readBootId(host)) ? undefined : "before the last restart";
  const note = complete ? before : "applied in part";
  const by = node === undefined ? "the agent" : `the agent of Node ${JSON.stringify(node)}`;
  return { profile: spec.config.tunedProfile, by, applied: true, ...(note !== undefined && { note }) };
}

async function byCommand(host: Host): Promise<Active | undefined> {
  const record = await loadApplied(host);
  if (!record) return undefined;
  const { profile, postLoaded } = record;
  return { profile, ...(postLoaded !== undefined && { postLoaded }), by: "attune tuned apply", applied: true };
}

async function byTuned(host: Host): Promise<Active | undefined> {
  const { profile, postLoaded } = await tunedPreset(host);
  if (profile === undefined && postLoaded === undefined) return undefined;
  const applied = (await findTuned(host)).other !== undefined;
  return { profile: profile ?? "", ...(postLoaded !== undefined && { postLoaded }), by: "TuneD", applied };
}

/** The first lines are those of `tuned-adm active`: scripts read the names from them. */
function text({ profile, postLoaded, by, applied, note }: Active): string {
  const kind = applied ? "Current" : "Preset";
  return [
    `${kind} ${applied ? "active " : ""}profile: ${printable(profile)}${note === undefined ? "" : ` (${note})`}`,
    ...(postLoaded === undefined ? [] : [`${kind} post-loaded profile: ${printable(postLoaded)}`]),
    applied ? `applied by: ${printable(by)}` : "TuneD is not running: the profile is not applied",
    "",
  ].join("\n");
}
