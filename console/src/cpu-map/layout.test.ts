import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onlineCpus } from "../../../src/language/cpu/cpu-topology.ts";
import { anyTopology } from "../../../src/language/cpu/testing/any-topology.ts";
import { layoutMap, type MapLayout, type Rect } from "./layout.ts";
import { machine } from "./testing/machine.ts";

describe("layoutMap", () => {
  it("draws each CPU of any machine once, inside its boxes, and nothing over anything else", () => {
    const widths = fc.constantFrom(320, 640, 1000, 1600);
    fc.assert(
      fc.property(anyTopology, widths, (topology, width) => {
        const layout = layoutMap({ topology, width });
        const cpus = layout.units.flatMap(({ cells }) => cells.map(({ cpu }) => cpu));
        expect(cpus.toSorted((a, b) => a - b)).toEqual([...onlineCpus(topology), ...topology.offline]);
        expect(overlapping(layout.units)).toEqual([]);
        for (const unit of layout.units) {
          const boxes = layout.boxes.filter(({ part }) => part.cpus.includes(unit.cpus[0] ?? -1));
          expect(boxes.length).toBeGreaterThan(0);
          expect(boxes.filter((box) => !inside(unit, box))).toEqual([]);
          expect(unit.cells.filter((cell) => !inside(cell, unit))).toEqual([]);
        }
        expect(overlapping(layout.boxes.filter(({ depth }) => depth === 0))).toEqual([]);
        expect(layout.boxes.filter((box) => !inside(box, { x: 0, y: 0, ...layout }))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("is the same for the same machine", () => {
    const topology = machine({ sockets: 2, cores: 8, threads: 2 });
    expect(layoutMap({ topology, width: 900 })).toEqual(layoutMap({ topology, width: 900 }));
  });

  it.each([
    [1, 28, 24],
    [2, 56, 24],
    [4, 56, 48],
    [8, 56, 96],
  ])(
    "draws cores of %i threads as %i by %i pixels: beside each other, then in two columns",
    (threads, width, height) => {
      const { units } = layoutMap({ topology: machine({ cores: 4, threads }), width: 800 });
      expect(units.map((unit) => [unit.width, unit.height])).toEqual(Array.from({ length: 4 }, () => [width, height]));
    },
  );

  it.each([
    ["one socket, one NUMA node: one box", machine({ cores: 2 }), ["Socket 0, NUMA 0, 8 GiB"]],
    ["two of each", machine({ sockets: 2, cores: 2 }), ["Socket 0, NUMA 0, 8 GiB", "Socket 1, NUMA 1, 8 GiB"]],
    [
      "two NUMA nodes a socket",
      machine({ sockets: 2, numaNodes: 2, cores: 1 }),
      ["Socket 0", "NUMA 0, 8 GiB", "NUMA 1, 8 GiB", "Socket 1", "NUMA 2, 8 GiB", "NUMA 3, 8 GiB"],
    ],
    [
      "a NUMA node over two sockets is outermost",
      {
        numaNodes: [
          { id: 0, cores: [core(0, 0), core(1, 1)] },
          { id: 1, cores: [core(1, 2)] },
        ],
        offline: [],
      },
      ["NUMA 0", "Socket 0", "Socket 1", "NUMA 1, Socket 1"],
    ],
    [
      "memory without CPUs, and CPUs that are off",
      {
        numaNodes: [
          { id: 0, cores: [core(0, 0)] },
          { id: 4, memoryKiB: 2 ** 20, cores: [] },
        ],
        offline: [1, 2],
      },
      ["Socket 0, NUMA 0", "NUMA 4, 1 GiB, no CPUs", "Off, place unknown"],
    ],
    [
      "a socket that the firmware does not name",
      { numaNodes: [{ id: 0, cores: [core(-1, 0)] }], offline: [] },
      ["Socket unknown, NUMA 0"],
    ],
  ])("titles: %s", (_, topology, titles) => {
    expect(layoutMap({ topology, width: 1600 }).boxes.map(({ part }) => part.title)).toEqual(titles);
  });

  it("boxes cores by the last cache that they share, and names the cache alone if all share it", () => {
    const topology = machine({ cores: 4, threads: 2 });
    const two = [
      { level: 3, sizeKiB: 32 * 1024, cpus: [0, 1, 4, 5] },
      { level: 3, sizeKiB: 16 * 1024, cpus: [2, 3, 6, 7] },
      { level: 2, cpus: [0, 4] },
    ];
    const titles = (caches: typeof two) =>
      layoutMap({ topology, caches, width: 900 }).boxes.map(({ part }) => part.title);
    expect(titles(two)).toEqual(["Socket 0, NUMA 0, 8 GiB", "L3 32 MiB", "L3 16 MiB"]);
    expect(titles([{ level: 3, cpus: [0, 1, 2, 3, 4, 5, 6, 7] }] as typeof two)).toEqual([
      "Socket 0, NUMA 0, 8 GiB, L3",
    ]);
  });

  it("has small cells, labelled by the first thread alone, from 257 CPUs on", () => {
    const sized = (cores: number): MapLayout => layoutMap({ topology: machine({ cores, threads: 2 }), width: 1600 });
    expect([sized(128).small, sized(129).small]).toEqual([false, true]);
    expect(sized(129).units.map(({ cells }) => cells.map(({ labelled }) => labelled))[0]).toEqual([true, false]);
  });

  it("shows 1,024 CPUs within 1,600 pixels", () => {
    const layout = layoutMap({ topology: machine({ sockets: 2, numaNodes: 8, cores: 32, threads: 2 }), width: 1590 });
    expect(layout.units.length).toBe(512);
    expect(layout.width).toBeLessThanOrEqual(1590);
    expect(layout.height).toBeLessThanOrEqual(800);
  });

  it("puts boxes one below the other where it is narrow, and draws parts that fold as a line there", () => {
    const topology = machine({ sockets: 2, cores: 8, threads: 2 });
    const folds = ({ numaNode }: { numaNode?: number }) => numaNode === 1;
    const layout = layoutMap({ topology, width: 358, folds });
    expect(layout.width).toBeLessThanOrEqual(358);
    expect(layout.units.filter(({ folded }) => folded).map(({ cpus }) => cpus.length)).toEqual([16]);
    expect(layoutMap({ topology, width: 1200, folds }).units.filter(({ folded }) => folded)).toEqual([]);
  });

  it("numbers rows in reading order", () => {
    const { units } = layoutMap({ topology: machine({ sockets: 2, cores: 20, threads: 2 }), width: 1600 });
    expect(units.map(({ row }) => row)).toEqual(units.map(({ row }) => row).toSorted((a, b) => a - b));
    expect(new Set(units.map(({ row }) => row)).size).toBe(6);
  });
});

function core(socket: number, cpu: number) {
  return { id: cpu, socket, cpus: [cpu] };
}

function inside(inner: Rect, outer: Rect): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

function overlapping(rects: readonly Rect[]): Rect[] {
  return rects.filter((a, i) =>
    rects
      .slice(i + 1)
      .some((b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height),
  );
}
