import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatRanges, cpuSet } from "../../../src/language/cpu/cpu-set.ts";
import { anyTopology } from "../../../src/language/cpu/testing/any-topology.ts";
import { actionOf, type Key } from "./keys.ts";
import { layoutMap, type MapLayout } from "./layout.ts";
import { begin, cpuAt, cpuNear, extendTo, move, nothingSelected, type Selection, togglePart } from "./selection.ts";
import { machine } from "./testing/machine.ts";

/** Two sockets of sixteen cores, two rows each: CPUs 0-15 and 16-31, second threads 32 higher. */
const layout = layoutMap({ topology: machine({ sockets: 2, cores: 16, threads: 2 }), width: 1200 });
const cores = { layout, grain: "core" } as const;
const threads = { layout, grain: "thread" } as const;

describe("selecting", () => {
  it.each([
    ["a click takes the whole core", click(3), "3,35"],
    ["with Alt the thread", begin(nothingSelected, 35, { ...threads, keep: false }), "35"],
    ["the next click replaces it", begin(click(3), 4, { ...cores, keep: false }), "4,36"],
    ["with Ctrl it joins", begin(click(3), 4, { ...cores, keep: true }), "3-4,35-36"],
    ["and leaves", begin(click(3), 35, { ...cores, keep: true }), ""],
    ["a drag takes what is between", extendTo(click(1), 10, cores), "1-2,9-10,33-34,41-42"],
    ["and gives back what it no longer covers", extendTo(extendTo(click(1), 10, cores), 2, cores), "1-2,33-34"],
    [
      "a drag by threads takes threads",
      extendTo(begin(nothingSelected, 1, { ...threads, keep: false }), 9, threads),
      "1,9",
    ],
    ["a title takes the box", togglePart(nothingSelected, [0, 1, 2], false), "0-2"],
    ["and gives it back", togglePart(togglePart(nothingSelected, [0, 1, 2], false), [0, 1, 2], true), ""],
  ])("%s", (_, { cpus }, expected) => {
    expect(formatRanges(cpuSet(cpus))).toBe(expected);
  });

  it("finds what is under the pointer, and what is nearest to it in a gap", () => {
    const unit = layout.unitOf.get(9)!;
    expect(cpuAt(layout, unit.x + unit.width - 2, unit.y + 2)).toBe(41);
    expect(cpuAt(layout, unit.x - 3, unit.y + 2)).toBeUndefined();
    expect(cpuNear(layout, unit.x - 1, unit.y + 2)).toBe(9);
  });

  it("by keys selects what a drag between the same cores selects, on any machine", () => {
    const way = fc.array(fc.constantFrom("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"), { maxLength: 12 });
    fc.assert(
      fc.property(anyTopology, fc.nat(), way, fc.boolean(), (topology, start, keys, altKey) => {
        const layout = layoutMap({ topology, width: 900 });
        const gesture = { layout, grain: altKey ? "thread" : "core" } as const;
        const from = layout.units.at(start % layout.units.length)!.cpus.at(0)!;
        const pressed = begin(nothingSelected, from, { ...gesture, keep: false });
        let byKeys: Selection = pressed;
        for (const key of keys) byKeys = press(layout, byKeys, { key, shiftKey: true, altKey });
        expect(cpuSet(byKeys.cpus)).toEqual(cpuSet(extendTo(pressed, byKeys.cursor!, gesture).cpus));
      }),
      { numRuns: 100 },
    );
  });
});

describe("moving", () => {
  it.each([
    ["right", 0, 1],
    ["right", 7, 16],
    ["down", 1, 9],
    ["down", 9, 9],
    ["up", 9, 1],
    ["left", 16, 7],
    ["left", 0, 0],
  ] as const)("%s of CPU %i is CPU %i", (direction, from, to) => {
    expect(move({ ...nothingSelected, cursor: from }, direction, cores).cursor).toBe(to);
  });

  it("by threads goes through the threads of a core", () => {
    expect(move({ ...nothingSelected, cursor: 0 }, "right", threads).cursor).toBe(32);
    expect(move({ ...nothingSelected, cursor: 32 }, "right", threads).cursor).toBe(1);
  });

  it("reaches every core of any machine", () => {
    fc.assert(
      fc.property(anyTopology, fc.constantFrom(320, 900), (topology, width) => {
        const layout = layoutMap({ topology, width });
        let selection: Selection = { ...nothingSelected, cursor: layout.units.at(0)?.cpus.at(0) };
        const reached = new Set([selection.cursor]);
        const queue = [selection];
        while ((selection = queue.pop()!)) {
          for (const direction of ["left", "right", "up", "down"] as const) {
            const next = move(selection, direction, { layout, grain: "core" });
            if (!reached.has(next.cursor)) queue.push(next);
            reached.add(next.cursor);
          }
        }
        expect(reached.size).toBe(layout.units.length);
      }),
      { numRuns: 30 },
    );
  });
});

describe("keys", () => {
  it("page by NUMA node, and Ctrl+A takes it", () => {
    const paged = press(layout, { ...nothingSelected, cursor: 3 }, { key: "PageDown" });
    expect(paged.cursor).toBe(16);
    expect(press(layout, paged, { key: "PageDown" }).cursor).toBe(16);
    expect(press(layout, paged, { key: "PageUp" }).cursor).toBe(0);
    expect(formatRanges(cpuSet(press(layout, paged, { key: "a", ctrlKey: true }).cpus))).toBe("16-31,48-63");
  });

  it("go to the ends", () => {
    expect(press(layout, nothingSelected, { key: "End" }).cursor).toBe(31);
    expect(press(layout, nothingSelected, { key: "Home" }).cursor).toBe(0);
  });

  it("Space selects, and deselects", () => {
    const once = press(layout, { ...nothingSelected, cursor: 3 }, { key: " " });
    expect([...once.cpus]).toEqual([3, 35]);
    expect([...press(layout, once, { key: " " }).cpus]).toEqual([]);
  });

  it.each([
    ["r", { type: "assign", role: "reserved" }],
    ["i", { type: "assign", role: "isolated" }],
    ["s", { type: "assign", role: "shared" }],
    ["d", { type: "assign", role: "ovsDpdk" }],
    ["o", { type: "assign", role: "offlined" }],
    ["x", { type: "assign", role: undefined }],
    ["q", { type: "nothing" }],
  ])("%s", (key, action) => {
    expect(actionOf(keyOf({ key }), { layout, selection: click(3), selectable: true })).toEqual(action);
  });

  it("change nothing on a map that only shows", () => {
    for (const key of ["r", "x", " "]) {
      const action = actionOf(keyOf({ key }), { layout, selection: click(3), selectable: false });
      expect(action).toEqual({ type: "nothing" });
    }
    const moved = actionOf(keyOf({ key: "ArrowRight", shiftKey: true }), {
      layout,
      selection: { ...nothingSelected, cursor: 3 },
      selectable: false,
    });
    expect(moved).toEqual({ type: "select", selection: { cpus: new Set(), cursor: 4 } });
  });

  it.each([
    [{ key: "z", ctrlKey: true }, "undo"],
    [{ key: "z", metaKey: true }, "undo"],
    [{ key: "Z", ctrlKey: true, shiftKey: true }, "redo"],
    [{ key: "y", ctrlKey: true }, "redo"],
  ])("%o: %s", (key, type) => {
    expect(actionOf(keyOf(key), { layout, selection: nothingSelected, selectable: true }).type).toBe(type);
  });
});

function click(cpu: number): Selection {
  return begin(nothingSelected, cpu, { ...cores, keep: false });
}

function press(layout: MapLayout, selection: Selection, key: Partial<Key>): Selection {
  const action = actionOf(keyOf(key), { layout, selection, selectable: true });
  return action.type === "select" ? action.selection : selection;
}

function keyOf(key: Partial<Key>): Key {
  return { key: "", shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...key };
}
