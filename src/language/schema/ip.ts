/** An address as a number, and the family it was written in. */
export interface Ip {
  readonly version: 4 | 6;
  readonly bits: bigint;
}

export interface Cidr {
  readonly ip: Ip;
  readonly prefix: number;
}

export function parseIp(text: string): Ip | undefined {
  if (text.length > 64) return undefined;
  if (!text.includes(":")) {
    const bits = parseIpv4(text);
    return bits === undefined ? undefined : { version: 4, bits };
  }
  const bits = parseIpv6(text);
  return bits === undefined ? undefined : { version: 6, bits };
}

export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  const ip = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!ip || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const prefix = Number(length);
  return prefix > width(ip) ? undefined : { ip, prefix };
}

export function width(ip: Ip): number {
  return ip.version === 4 ? 32 : 128;
}

/** The first address of the network. */
export function masked({ ip, prefix }: Cidr): Cidr {
  const shift = BigInt(width(ip) - prefix);
  return { ip: { version: ip.version, bits: (ip.bits >> shift) << shift }, prefix };
}

export function contains(cidr: Cidr, ip: Ip): boolean {
  if (cidr.ip.version !== ip.version) return false;
  const shift = BigInt(width(ip) - cidr.prefix);
  return cidr.ip.bits >> shift === ip.bits >> shift;
}

export function formatIp({ version, bits }: Ip): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => `${(bits >> shift) & 255n}`).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => ((bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  // RFC 5952: `::` replaces the longest run of two or more zero groups, the first of equal ones.
  let best = { start: 0, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === "0") length++;
    if (length > best.length) best = { start, length };
  }
  if (best.length < 2) return groups.join(":");
  return `${groups.slice(0, best.start).join(":")}::${groups.slice(best.start + best.length).join(":")}`;
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    // Leading zeros are read as decimal, as kube-apiserver does for compatibility (ParseIPSloppy).
    if (!/^\d{1,4}$/.test(part) || Number(part) > 255) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(groupsOf);
  if (!head) return undefined;
  if (halves.length === 1) return head.length === 8 ? join(head) : undefined;
  if (!tail || head.length + tail.length > 7) return undefined;
  return join([...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]);
}

function groupsOf(text: string): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [i, part] of parts.entries()) {
    if (i === parts.length - 1 && part.includes(".")) {
      const bits = parseIpv4(part);
      if (bits === undefined) return undefined;
      groups.push(Number(bits >> 16n), Number(bits & 0xffffn));
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function join(groups: readonly number[]): bigint {
  let bits = 0n;
  for (const group of groups) bits = (bits << 16n) | BigInt(group);
  return bits;
}
