import { describe, expect, it } from "vitest";
import type { HugePage } from "../api.ts";
import { inputOf } from "../testing/facts.ts";
import { bootLoader } from "./boot-loader.ts";

describe("huge pages", () => {
  const gigabytes: HugePage = { size: "1G", count: 4 };
  const spread: HugePage = { size: "2M", count: 128 };
  const onNode: HugePage = { ...spread, node: 0 };

  it.each<[string, string, HugePage[], string]>([
    ["are set aside at boot", "1G", [gigabytes], "hugepagesz=1G hugepages=4"],
    [
      "in the order they are written",
      "1G",
      [spread, gigabytes],
      "hugepagesz=2M hugepages=128 hugepagesz=1G hugepages=4",
    ],
    [
      "of one NUMA node later, but their size is in the arguments",
      "1G",
      [gigabytes, onNode],
      "hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=0",
    ],
    [
      "unless their size is in the arguments anyway",
      "1G",
      [gigabytes, onNode, spread],
      "hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=128",
    ],
    ["or has them by default", "2M", [gigabytes, onNode], "hugepagesz=1G hugepages=4"],
    ["may be none", "2M", [], ""],
  ])("%s", (_, defaultHugepagesSize, pages, expected) => {
    const { options } = bootLoader(inputOf({ hugepages: { defaultHugepagesSize, pages } }).facts);
    expect(new Map(options).get("cmdline_hugepages")).toBe(
      `+ default_hugepagesz=${defaultHugepagesSize} ${expected}`.trim(),
    );
  });

  it("are absent without a default size", () => {
    const { options } = bootLoader(inputOf({ hugepages: { pages: [] } }).facts);
    expect(options.map(([key]) => key)).not.toContain("cmdline_hugepages");
  });
});
