import type { Observe } from "../../plugin.ts";
import { valueOf } from "../device-steps.ts";

/** As TuneD tells them apart: x86 that is not AMD's or Hygon's is taken for Intel's. */
export async function vendorOf(observe: Observe): Promise<"intel" | "amd" | "other"> {
  const vendor = await tagOf("vendor_id", observe);
  if (vendor === undefined) return "other";
  return vendor === "AuthenticAMD" || vendor === "HygonGenuine" ? "amd" : "intel";
}

export async function hasFlag(flag: string, observe: Observe): Promise<boolean> {
  return (await tagOf("flags", observe))?.split(/\s+/).includes(flag) ?? false;
}

/** What the first CPU says of itself. */
async function tagOf(tag: string, observe: Observe): Promise<string | undefined> {
  const text = (await valueOf(observe, "/proc/cpuinfo")) ?? "";
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0 && line.slice(0, colon).trim() === tag) return line.slice(colon + 1).trim();
  }
  return undefined;
}
