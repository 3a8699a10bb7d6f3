import { readBootId } from "../../../node/host/boot-id.ts";
import type { Host } from "../../../node/host/host.ts";
import { appliedPath as path } from "../../../node/on-node/tuning-record.ts";
import { isObject } from "../../../language/object/json.ts";

const version = 1;

/** What `attune tuned apply` applied last. */
export interface AppliedRecord {
  readonly profile: string;
  readonly postLoaded?: string | undefined;
}

/** Without waiting for the disk: after a power loss, the record counts as none anyway. */
export async function saveApplied(host: Host, record: AppliedRecord): Promise<void> {
  const text = `${JSON.stringify({ version, bootId: await readBootId(host), ...record })}\n`;
  const file = await host.read(path);
  if (file.type === "text" && file.text === text) return;
  const outcome = await host.write(path, text);
  if (outcome.type === "failed") throw new Error(`write ${path}: ${outcome.message}`);
}

/** Nothing applies the profile again after a restart, so a record of an earlier boot counts as none. */
export async function loadApplied(host: Host): Promise<AppliedRecord | undefined> {
  const file = await host.read(path);
  if (file.type !== "text") return undefined;
  const record = parse(file.text);
  return record?.bootId === (await readBootId(host)) ? record : undefined;
}

function parse(text: string): (AppliedRecord & { bootId: string }) | undefined {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // As good as no record: it only serves to show a name.
    return undefined;
  }
  if (!isObject(data) || data.version !== version) return undefined;
  const { bootId, profile, postLoaded } = data;
  if (typeof bootId !== "string" || typeof profile !== "string") return undefined;
  return { bootId, profile, ...(typeof postLoaded === "string" && { postLoaded }) };
}
