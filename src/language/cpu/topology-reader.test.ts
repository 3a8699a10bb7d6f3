import { expect, it } from "vitest";
import { TopologyReader } from "./topology-reader.ts";
import { parseTopology } from "./topology-text.ts";

const machine = (memory: unknown, cores = ["0/0:0-1", "0/1:2-3"]): object => ({
  numaNodes: [
    { id: 1, cores: ["1/0:4"] },
    { id: 0, memory, cores },
  ],
  offline: "5",
});

it.each<[string, unknown]>([
  ["a machine", machine("64Ki")],
  ["one with other memory", machine("128Ki")],
  ["one with no memory known", machine(undefined)],
  ["one whose whole memory is known", { ...machine("64Ki"), memory: "192Ki" }],
  ["one whose whole memory is invalid", { ...machine("64Ki"), memory: "much" }],
  ["one with invalid memory", machine("much")],
  ["one whose memory is no text", machine(7)],
  ["one with invalid cores", machine("64Ki", ["0"])],
  ["one that has a CPU twice", machine("64Ki", ["0/0:4"])],
  ["a NUMA node that is none", { numaNodes: [7], offline: "" }],
  ["nothing", undefined],
  ["a text", "x"],
])("%s is read as by parseTopology, also after others", (_, text) => {
  const reader = new TopologyReader();
  reader.read(machine("32Ki"));
  for (let again = 0; again < 2; again++) expect(reader.read(text)).toEqual(parseTopology(text));
});

it("equal machines share what they have in common", () => {
  const reader = new TopologyReader();
  const [one, other] = [reader.read(machine("64Ki")), reader.read(machine("128Ki"))];
  expect(one?.numaNodes[0]?.cores).toBe(other?.numaNodes[0]?.cores);
});
