import { refusedPath } from "../../../domain/machine-config/own-folders.ts";
import { isKept } from "./certificates.ts";
import { describePlaced, otherThanPlaced, type Placed, readPlaced } from "../../engine/placed.ts";
import type { Ledger } from "../../engine/ledger.ts";
import type { UnitStep } from "../../engine/unit-step.ts";
import type { Host } from "../../host/host.ts";

/** The owner of a machine config's claims in the ledger. */
export const machineConfigOwner = "machine-config";

/** What a path should have, and where the config says so. */
export interface Wanted {
  readonly path: string;
  /** The place in the config, for messages: `storage.files`. */
  readonly option: string;
  readonly placed: Placed | { readonly impossible: string };
}

export interface At {
  readonly config: string;
  readonly host: Host;
  readonly ledger: Pick<Ledger, "find">;
}

/** What it takes to place each, given what the node has. */
export async function placeAll(wanted: readonly Wanted[], at: At): Promise<UnitStep[]> {
  const steps: UnitStep[] = [];
  for (const one of wanted) steps.push(await placeOne(one, at));
  return steps;
}

async function placeOne({ path, option, placed }: Wanted, { config, host, ledger }: At): Promise<UnitStep> {
  const about = { unit: machineConfigOwner, option: `${option} ${path}`, from: config };
  if ("impossible" in placed) return { ...about, type: "impossible", message: placed.impossible };
  const target = await realPath(path, host);
  const found = await readPlaced(path, host);
  // What another process has put there need not be kept: the ledger has the original.
  const isForeign = "type" in found && found.code === "EFBIG" && ledger.find(target) !== undefined;
  if ("type" in found && !isForeign) return { ...about, type: "impossible", message: found.message };
  // A link on the way may lead there, whatever the config says of it.
  const refused = refusedPath(target);
  if (refused !== undefined) return { ...about, type: "impossible", message: refused };
  const isLost = "type" in found || (isKept(path) && found.kind === "missing");
  return {
    ...about,
    type: (await otherThanPlaced(path, placed, host)) === undefined ? "same" : "change",
    target,
    ...(target === path ? {} : { alias: path }),
    before: "type" in found ? found.message : describePlaced(found),
    value: describePlaced(placed),
    actions: [{ type: "place", path, placed }],
    undo: isLost ? [] : [{ type: "place", path, placed: found }],
    lasts: "persistent",
  };
}

/** Two paths to one file are one target of the ledger. A link that the whole path names is a target of its own. */
async function realPath(path: string, host: Pick<Host, "real">): Promise<string> {
  const slash = path.lastIndexOf("/");
  const folder = await host.real(path.slice(0, slash) || "/");
  return `${folder === "/" ? "" : folder}/${path.slice(slash + 1)}`;
}
