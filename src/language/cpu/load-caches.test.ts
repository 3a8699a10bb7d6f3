import { expect, test } from "vitest";
import type { Core } from "./cpu-topology.ts";
import { loadCaches } from "./load-caches.ts";

type Index = readonly [level: number, type: string, size: string, shared: string];

/** Each core with the caches of its first thread. */
async function cachesOf(cores: readonly (readonly [cpus: number[], ...caches: Index[]])[]) {
  const files = new Map<string, string>();
  const folders = new Map<string, string[]>();
  for (const [[cpu], ...caches] of cores) {
    const folder = `/sys/devices/system/cpu/cpu${cpu}/cache`;
    folders.set(folder, ["uevent", ...caches.map((_, at) => `index${at}`)]);
    for (const [at, [level, type, size, shared]] of caches.entries())
      for (const [name, text] of Object.entries({ level, type, size, shared_cpu_list: shared }))
        files.set(`${folder}/index${at}/${name}`, `${text}\n`);
  }
  const source = {
    read: async (path: string) => files.get(path),
    list: async (path: string) => folders.get(path) ?? [],
  };
  return loadCaches(
    source,
    cores.map(([cpus], id): Core => ({ id, socket: 0, cpus })),
  );
}

const own = (cpus: string): Index[] => [
  [1, "Data", "48K", cpus],
  [1, "Instruction", "32K", "0-7"],
  [2, "Unified", "2048K", cpus],
];

test("are those that several cores share, each once, the largest first", async () => {
  const low: Index = [3, "Unified", "32768K", "0-1,4-5"];
  const high: Index = [3, "Unified", "16384K", "2-3,6-7"];
  const cluster: Index = [2, "Unified", "4096K", "2-3,6-7"];
  const found = await cachesOf([
    [[0, 4], ...own("0,4"), low],
    [[1, 5], ...own("1,5"), low],
    [[2, 6], [1, "Data", "48K", "2,6"], cluster, high],
    [[3, 7], [1, "Data", "48K", "3,7"], cluster, high],
  ]);
  expect(found).toEqual([
    { level: 3, size: "32768Ki", cpus: "0-1,4-5" },
    { level: 3, size: "16384Ki", cpus: "2-3,6-7" },
    { level: 2, size: "4096Ki", cpus: "2-3,6-7" },
  ]);
});

test("have the CPUs that are online", async () => {
  const shared: Index = [3, "Unified", "1024K", "0-9"];
  expect(
    await cachesOf([
      [[0], shared],
      [[4], shared],
    ]),
  ).toEqual([{ level: 3, size: "1024Ki", cpus: "0,4" }]);
});

test.each<[string, Index[]]>([
  ["are not shown", []],
  ["have no size", [[3, "Unified", "", "0-1"]]],
  ["are listed in no way that is known", [[3, "Unified", "1024K", "all"]]],
])("are unknown where they %s", async (_, caches) => {
  expect(
    await cachesOf([
      [[0], ...caches],
      [[1], ...caches],
    ]),
  ).toEqual([]);
});
