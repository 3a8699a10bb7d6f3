import { ArchiveError } from "./archive-entry.ts";
import type { TarHeader } from "./tar-header.ts";

/** `30 path=sys/devices/system/cpu\n`: a length that counts itself, a name, a value. Says what did not fit into a header. */
export function readPaxRecords(bytes: Uint8Array): Partial<TarHeader> {
  let said: Partial<TarHeader> = {};
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(0x20, at);
    const digits = blank < 0 ? "" : latin(bytes.subarray(at, Math.min(blank, at + 12)));
    const length = Number(digits);
    const end = at + length;
    if (!/^[1-9][0-9]*$/.test(digits) || end > bytes.length || end <= blank + 1 || bytes[end - 1] !== 0x0a)
      throw new ArchiveError("records before an entry make no sense");
    const record = new TextDecoder().decode(bytes.subarray(blank + 1, end - 1));
    const sign = record.indexOf("=");
    said = { ...said, ...saidBy(record.slice(0, sign), record.slice(sign + 1)) };
    at = end;
  }
  return said;
}

/** One that is empty takes back what was said before. */
function saidBy(name: string, value: string): Partial<TarHeader> {
  if (value === "") return {};
  if (name === "path") return { name: value };
  if (name === "linkpath") return { link: value };
  if (name !== "size") return {};
  if (!/^[0-9]{1,15}$/.test(value)) throw new ArchiveError("an entry of impossible size");
  return { size: Number(value) };
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Its length depends on how many digits its length has. */
export function writePaxRecord(name: string, value: string): Uint8Array {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  let length = rest + 1;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${name}=${value}\n`);
}
