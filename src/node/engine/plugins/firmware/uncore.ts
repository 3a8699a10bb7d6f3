import { parseInteger } from "../../../../language/cpu/integer.ts";
import type { Setting } from "../../../../language/tuned/unit.ts";
import type { Observe, Plugin, Step } from "../../plugin.ts";
import { wantedValue } from "../../wanted-value.ts";
import { forEachDevice, impossible, kernelFile, unknownOptions, valueOf, type Wanted, wantedOf } from "../steps.ts";

const folder = "/sys/devices/system/cpu/intel_uncore_frequency";
const options = { max: "max_freq_khz", min: "min_freq_khz" } as const;
type Side = keyof typeof options;

/** `[uncore]`: bounds of the frequency of Intel's uncore (caches and interconnect). */
export const uncore: Plugin = {
  type: "uncore",

  /** `package_00_die_00`; newer hardware has `uncore00` for each domain, beside dies that summarize them. */
  async devices({ host }) {
    const names = (await host.list(folder)).toSorted();
    const domains = names.filter((name) => name.startsWith("uncore"));
    return domains.length > 0 ? domains : names;
  },

  async plan(unit, observe, devices) {
    const steps = unknownOptions(unit, new Set(Object.values(options)));
    return [...steps, ...(await forEachDevice(devices, (device) => planDevice(unit.options, device, observe)))];
  },
};

async function planDevice(
  settings: ReadonlyMap<string, Setting>,
  device: string,
  observe: Observe,
): Promise<readonly Step[]> {
  const wanted = (["max", "min"] as const).flatMap((side) => {
    const setting = settings.get(options[side]);
    return setting ? [{ side, wanted: wantedOf(options[side], setting) }] : [];
  });
  const limits = await limitsOf(device, observe);
  if (typeof limits === "string") return wanted.map((one) => impossible(one.wanted, limits, { device }));

  const current = { max: limits.max_freq_khz, min: limits.min_freq_khz };
  const frequencies = wanted.map((one) => ({
    ...one,
    ...frequencyOf(one.wanted, one.side, { limits, device, observe }),
  }));
  // A maximum below the present minimum is possible once the same unit has lowered that.
  const max = frequencies.find(({ side }) => side === "max");
  if (max?.khz !== undefined && max.khz < current.min) frequencies.reverse();

  return frequencies.map(({ side, wanted, khz, problem, note }) => {
    if (khz === undefined) return impossible(wanted, problem, { device, verified: false });
    const crossed = crossing(side, khz, current);
    // TuneD refuses these with an error, but verifies them as passed.
    if (crossed !== undefined) return impossible(wanted, crossed, { device, verified: false });
    const before = String(limits[options[side]]);
    current[side] = khz;
    const step = kernelFile(wanted, {
      path: `${folder}/${device}/${options[side]}`,
      before,
      value: String(khz),
      device,
    });
    return note === undefined ? step : { ...step, note };
  });
}

function crossing(side: Side, khz: bigint, current: Readonly<Record<Side, bigint>>): string | undefined {
  if (side === "max" && khz < current.min) return `${khz} kHz is below the minimum of ${current.min} kHz`;
  if (side === "min" && khz > current.max) return `${khz} kHz is above the maximum of ${current.max} kHz`;
  return undefined;
}

const files = ["initial_max_freq_khz", "initial_min_freq_khz", "max_freq_khz", "min_freq_khz"] as const;
type Limits = Readonly<Record<(typeof files)[number], bigint>>;

async function limitsOf(device: string, observe: Observe): Promise<Limits | string> {
  const values = new Map<string, bigint>();
  for (const file of files) {
    const path = `${folder}/${device}/${file}`;
    const value = parseInteger((await valueOf(observe, path)) ?? "");
    if (value === undefined) return `cannot read ${path}`;
    values.set(file, value);
  }
  return Object.fromEntries(values) as Limits;
}

interface About {
  limits: Limits;
  device: string;
  observe: Observe;
}

type Frequency = { khz: bigint; problem?: never; note?: string } | { khz?: never; problem: string; note?: never };

/** The wanted frequency, within what the hardware has. */
function frequencyOf({ value }: Wanted, side: Side, { limits, device, observe }: About): Frequency {
  const { initial_max_freq_khz: highest, initial_min_freq_khz: lowest } = limits;
  const path = `${folder}/${device}/${options[side]}`;
  const text = wantedValue(value, path, String(limits[options[side]]), observe);
  const isPercentage = text.endsWith("%");
  const number = parseInteger(isPercentage ? text.replace(/%+$/, "") : text);
  if (number === undefined)
    return { problem: `${JSON.stringify(value)} is neither a frequency in kHz nor a percentage` };
  if (isPercentage && (number < 0n || number > 100n))
    return { problem: `${JSON.stringify(value)} is not within 0 and 100%` };
  const khz = isPercentage ? lowest + (number * (highest - lowest)) / 100n : number;
  if (side === "max" && khz > highest) return { khz: highest, note: `${khz} kHz is more than the hardware has` };
  if (side === "min" && khz < lowest) return { khz: lowest, note: `${khz} kHz is less than the hardware has` };
  return { khz };
}
