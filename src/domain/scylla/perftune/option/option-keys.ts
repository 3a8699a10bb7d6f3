import { type GivenMask, maskSyntax, parseGivenMask } from "../masks/mask-text.ts";
import { components, modes } from "./perftune-options.ts";

/** A value that is none of its option's. */
export class OptionError extends Error {
  override name = "OptionError";
}

/**
 * Options by their keys in an options file, and how a value becomes that of the option: a text of the command line, or whatever is
 * in the file.
 */
export const optionKeys = {
  tune: each((value, key) => oneOf(components, value, key)),
  mode: (value: unknown, key: string) => oneOf(modes, value, key),
  nic: each(interfaceName),
  dir: each(directory),
  dev: each(blockDevice),
  cpu_mask: mask,
  irq_cpu_mask: mask,
  irq_core_auto_detection_ratio: (value: unknown, key: string) => integer(value, key, { from: 0 }),
  num_rx_queues: (value: unknown, key: string) => integer(value, key, { from: 1 }),
  arfs: bool,
  write_back_cache: bool,
  tcp_mem_fraction: fraction,
  tune_clock: bool,
};

export type OptionKey = keyof typeof optionKeys;

/** What one source gives. */
export type GivenOptions = { readonly [K in OptionKey]?: ReturnType<(typeof optionKeys)[K]> };

/** Values by key. Undefined and null are not given; keys of no option are left out. Throws an OptionError. */
export function readGiven(values: Readonly<Record<string, unknown>>): GivenOptions {
  const given = Object.entries(optionKeys).flatMap(([key, read]) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    return value === undefined || value === null ? [] : [[key, read(value, key)]];
  });
  return Object.fromEntries(given) as GivenOptions;
}

/** A list, or a single value. Each item once, in the order in which it first occurs. */
function each<T>(read: (value: unknown, key: string) => T): (value: unknown, key: string) => readonly T[] {
  return (value, key) => [...new Set((Array.isArray(value) ? value : [value]).map((one) => read(one, key)))];
}

function oneOf<T extends string>(values: readonly T[], value: unknown, key: string): T {
  const found = values.find((one) => one === value);
  if (found === undefined) throw bad(key, value, `not one of ${values.join(", ")}`);
  return found;
}

/** As the kernel limits names of interfaces, so that they name one folder below /sys/class/net. */
function interfaceName(value: unknown, key: string): string {
  if (typeof value === "string" && /^[^/:\s\p{C}]{1,15}$/u.test(value) && value !== "." && value !== "..") return value;
  throw bad(key, value, "not the name of a network interface");
}

/** `nvme0n1`, `/dev/nvme0n1`, `/dev/mapper/data` */
function blockDevice(value: unknown, key: string): string {
  const words = typeof value === "string" ? value.replace(/^\/dev\//, "").split("/") : [];
  const areNames = words.every((word) => /^[\w!.:@+-]{1,64}$/.test(word) && word !== "." && word !== "..");
  if (areNames && words.length === 1) return words.join();
  if (areNames && words.length === 2 && value !== words.join("/")) return `/dev/${words.join("/")}`;
  throw bad(key, value, "not the name of a block device, such as nvme0n1 or /dev/mapper/data");
}

function directory(value: unknown, key: string): string {
  const path = typeof value === "string" ? value : "";
  if (path.startsWith("/") && path.length <= 4096 && !/\p{C}/u.test(path) && !path.split("/").includes(".."))
    return path;
  throw bad(key, value, "not an absolute path without ..");
}

function mask(value: unknown, key: string): GivenMask {
  const read = typeof value === "string" ? parseGivenMask(value) : undefined;
  if (read) return read;
  if (typeof value === "number") throw bad(key, value, "a number: put the mask in quotes");
  throw bad(key, value, `not a mask: ${maskSyntax}`);
}

function integer(value: unknown, key: string, { from }: { readonly from: number }): number {
  const number = typeof value === "string" && /^[0-9]{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= from && number < 1e9) return number;
  throw bad(key, value, `not an integer of ${from} or more`);
}

function fraction(value: unknown, key: string): number {
  const number = typeof value === "string" && /^[0-9.]+(e-?[0-9]+)?$/i.test(value) ? Number(value) : value;
  if (typeof number === "number" && number > 0 && number < 1) return number;
  throw bad(key, value, "not a fraction between 0 and 1");
}

const yes = ["y", "yes", "t", "true", "on", "1"];
const no = ["n", "no", "f", "false", "off", "0"];

function bool(value: unknown, key: string): boolean {
  const text = shown(value).toLowerCase();
  if (yes.includes(text)) return true;
  if (no.includes(text)) return false;
  throw new OptionError(`Invalid ${flagOf(key)}/${key} value: should be boolean but given: ${shown(value)}`);
}

/** `--irq-cpu-mask` */
export function flagOf(key: string): string {
  return `--${key.replaceAll("_", "-")}`;
}

function bad(key: string, value: unknown, why: string): OptionError {
  return new OptionError(`Bad '${key}' value ${JSON.stringify(shown(value))}: ${why}`);
}

/** Long values are cut: an error is one line that can be read. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  const text = `${value as string | number | bigint | boolean}`;
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
