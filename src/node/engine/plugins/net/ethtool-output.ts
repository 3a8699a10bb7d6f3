/** ethtool's option names, by the names that it prints. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ["rx-checksumming", "rx"],
  ["tx-checksumming", "tx"],
  ["scatter-gather", "sg"],
  ["tcp-segmentation-offload", "tso"],
  ["udp-fragmentation-offload", "ufo"],
  ["generic-segmentation-offload", "gso"],
  ["generic-receive-offload", "gro"],
  ["large-receive-offload", "lro"],
  ["rx-vlan-offload", "rxvlan"],
  ["tx-vlan-offload", "txvlan"],
  ["ntuple-filters", "ntuple"],
  ["receive-hashing", "rxhash"],
  ["Autonegotiate", "autoneg"],
  ["RX", "rx"],
  ["TX", "tx"],
  ["RX Mini", "rx-mini"],
  ["RX Jumbo", "rx-jumbo"],
  ["Other", "other"],
  ["Combined", "combined"],
  // Older versions of ethtool omit a letter.
  ["rx-frame-low", "rx-frames-low"],
  ["rx-frame-high", "rx-frames-high"],
  ["tx-frame-low", "tx-frames-low"],
  ["tx-frame-high", "tx-frames-high"],
]);

/**
 * The parameters in the output of `ethtool -c`, `-k`, `-a`, `-g` or `-l`. Fixed parameters are left out, absent
 * ones are `n/a`. For rings and channels, the current settings count, which come after the maximums.
 */
export function readEthtool(output: string): Map<string, string> {
  const parameters = new Map<string, string>();
  const current = /^Current hardware settings:\s*$/m.exec(output);
  const text = current ? output.slice(current.index + current[0].length) : output;
  for (const line of text.split("\n")) {
    const pair = /^\s*(Adaptive|CQE mode) RX:\s*(\S+)\s+TX:\s*(\S+)/.exec(line);
    if (pair) {
      const name = pair[1] === "Adaptive" ? "adaptive" : "cqe-mode";
      parameters.set(`${name}-rx`, pair[2] ?? "").set(`${name}-tx`, pair[3] ?? "");
      continue;
    }
    // `tso: off [requested on]` is off.
    const match = /^\s*([^:]+):\s*(\S+)(.*)$/.exec(line);
    if (!match || match[3]?.includes("[fixed]")) continue;
    const name = match[1]?.trim() ?? "";
    parameters.set(shortNames.get(name) ?? name, match[2] ?? "");
  }
  return parameters;
}
