import { expect, test } from "vitest";
import { hugepagesAllocation as script } from "../../../src/domain/performance-profile/machine-config/scripts/hugepages-allocation.ts";
import type { FakeNode } from "./fake-node.ts";
import { onEachShell } from "./on-each-shell.ts";

const env = { NUMA_NODE: "1", HUGEPAGES_SIZE: "2048", HUGEPAGES_COUNT: "8" };
const pages = "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages";

/** The number of pages that the kernel has found, one for each read of the file. */
function kernelFinds(node: FakeNode, ...found: number[]): void {
  node.write("/found", `${found.join("\n")}\n`);
  const file = node.at("/found");
  node.program(
    "cat",
    `shift
    { read -r now; while read -r later; do set -- "$@" "$later"; done; } <'${file}'
    echo "$now"
    if [ $# -gt 0 ]; then printf '%s\\n' "$@" >'${file}'; fi`,
  );
  node.program("sleep", `echo "$1" >>'${node.at("/slept")}'`);
}

onEachShell("setting huge pages aside", (makeNode) => {
  test("requests them from the kernel", () => {
    const node = makeNode({ [pages]: "0\n" });
    expect(node.run(script, env)).toMatchObject({ code: 0, err: "" });
    expect(node.read(pages)).toBe("8");
  });

  test("releases pages if there are more", () => {
    const node = makeNode({ [pages]: "20\n" });
    expect(node.run(script, env)).toMatchObject({ code: 0 });
    expect(node.read(pages)).toBe("8");
  });

  test("does nothing if they are allocated already", () => {
    const node = makeNode({ [pages]: "untouched" });
    kernelFinds(node, 8);
    expect(node.run(script, env)).toMatchObject({ code: 0 });
    expect(node.read(pages)).toBe("untouched");
  });

  test("asks again while the kernel finds more, a second apart", () => {
    const node = makeNode({ [pages]: "0\n" });
    kernelFinds(node, 0, 3, 5, 8);
    expect(node.run(script, env)).toMatchObject({ code: 0, out: expect.stringContaining("8") });
    expect(node.read("/slept")).toBe("1\n1");
  });

  test("gives up after a minute, and reports what the kubelet will see", () => {
    const node = makeNode({ [pages]: "0\n" });
    kernelFinds(node, 0, 3);
    const { code, err } = node.run(script, env);
    expect(code).toBe(1);
    expect(err).toContain("obtained 3 instead of 8 huge pages of 2048 KiB on NUMA node 1");
    expect(err).toContain("kubelet");
    expect(node.read("/slept")?.split("\n")).toHaveLength(60);
  });

  test("reports why the kernel refuses", () => {
    const node = makeNode({ [pages]: "0\n" });
    kernelFinds(node, 0);
    node.refuse(pages);
    const { code, err } = node.run(script, env);
    expect(code).toBe(1);
    expect(err).toMatch(/obtained 0 instead of 8 .*: .*error/);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });

  test("fails if the node has no pages of that size", () => {
    const node = makeNode({ [pages.replace("2048", "64")]: "0\n" });
    const { code, err } = node.run(script, env);
    expect(code).toBe(1);
    expect(err).toContain("hugepages-2048kB/nr_hugepages does not exist");
    expect(node.read(pages)).toBeUndefined();
  });

  test("fails without a count", () => {
    expect(makeNode({ [pages]: "0\n" }).run(script, { NUMA_NODE: "1", HUGEPAGES_SIZE: "2048" }).code).not.toBe(0);
  });
});
