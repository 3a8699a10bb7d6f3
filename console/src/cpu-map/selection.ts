import type { Cell, MapLayout, Rect, Unit } from "./layout.ts";

/** What is selected on the map, and where the keyboard is. */
export interface Selection {
  readonly cpus: ReadonlySet<number>;
  /** The CPU at which keys continue. */
  readonly cursor: number | undefined;
  /** Where a drag or Shift began, and what was selected before it. */
  readonly anchor?: { readonly cpu: number; readonly before: ReadonlySet<number> };
}

export const nothingSelected: Selection = { cpus: new Set(), cursor: undefined };

/** With Alt single threads are selected, else whole cores. */
export type Grain = "core" | "thread";

export interface Gesture {
  readonly layout: MapLayout;
  readonly grain: Grain;
}

/** A click, or the begin of a drag: what is there becomes the selection, or joins it. */
export function begin(
  selection: Selection,
  cpu: number,
  { layout, grain, keep }: Gesture & { keep: boolean },
): Selection {
  const target = targetOf(layout, grain, cpu);
  if (!target) return selection;
  const kept = keep ? selection.cpus : nothingSelected.cpus;
  const leaves = has(kept, target.cpus);
  const before = leaves ? without(kept, target.cpus) : kept;
  const cpus = leaves ? before : new Set([...before, ...target.cpus]);
  return { cpus, cursor: cpu, anchor: { cpu, before } };
}

/** A drag, Shift with an arrow key, or Shift with a click: everything between the anchor and a CPU. */
export function extendTo(selection: Selection, cpu: number, { layout, grain }: Gesture): Selection {
  const anchor = selection.anchor ?? { cpu: selection.cursor ?? cpu, before: selection.cpus };
  const [from, to] = [targetOf(layout, grain, anchor.cpu), targetOf(layout, grain, cpu)];
  if (!from || !to) return selection;
  const between = around(from, to);
  const cpus = new Set(anchor.before);
  for (const target of targetsOf(layout, grain)) {
    if (overlap(target, between)) for (const one of target.cpus) cpus.add(one);
  }
  return { cpus, cursor: cpu, anchor };
}

export type Direction = "left" | "right" | "up" | "down";

/** The cursor moves, and nothing is selected or deselected. */
export function move(selection: Selection, direction: Direction, gesture: Gesture): Selection {
  return at(selection, neighbour(selection.cursor, direction, gesture));
}

/** To the first core of the next or previous NUMA node. */
export function moveToNode(selection: Selection, step: 1 | -1, { layout }: { layout: MapLayout }): Selection {
  const here = unitAtCursor(selection, layout);
  if (!here) return at(selection, layout.units[0]?.cpus[0]);
  const nodes = [...new Set(layout.units.map(({ place }) => place.numaNode))];
  const next = nodes[nodes.indexOf(here.place.numaNode) + step];
  const target = layout.units.find(({ place }) => place.numaNode === next);
  return nodes.indexOf(here.place.numaNode) + step in nodes ? at(selection, target?.cpus[0]) : selection;
}

export function moveToEnd(selection: Selection, end: "first" | "last", { layout }: { layout: MapLayout }): Selection {
  return at(selection, layout.units.at(end === "first" ? 0 : -1)?.cpus[0]);
}

/** All CPUs of the NUMA node that the cursor is in join the selection. */
export function selectNode(selection: Selection, { layout }: { layout: MapLayout }): Selection {
  const here = unitAtCursor(selection, layout);
  if (!here) return selection;
  const node = layout.units.filter(({ place }) => place.numaNode === here.place.numaNode);
  return { cpus: new Set([...selection.cpus, ...node.flatMap(({ cpus }) => cpus)]), cursor: selection.cursor };
}

/** A click on a title: all of a part, or none of it if all was selected. */
export function togglePart(selection: Selection, cpus: readonly number[], keep: boolean): Selection {
  const before = keep ? selection.cpus : nothingSelected.cpus;
  const next = has(selection.cpus, cpus) ? without(before, cpus) : new Set([...before, ...cpus]);
  return { cpus: next, cursor: cpus[0] ?? selection.cursor };
}

/** Space: what the cursor is on joins the selection, or leaves it. */
export function toggle(selection: Selection, { layout, grain }: Gesture): Selection {
  if (selection.cursor === undefined) return selection;
  return begin(selection, selection.cursor, { layout, grain, keep: true });
}

/** The CPU to which an arrow key leads. At the edge of a row left and right go on in the next one. */
export function neighbour(
  cursor: number | undefined,
  direction: Direction,
  { layout, grain }: Gesture,
): number | undefined {
  const targets = targetsOf(layout, grain);
  const index = targets.findIndex(({ cpus }) => cursor !== undefined && cpus.includes(cursor));
  const here = targets[index];
  if (!here) return targets[0]?.cpus[0];
  if (direction === "left" || direction === "right") {
    const beside = targets.filter((one) => sideOf(one, here) === direction && sameRow(one, here));
    const next = nearest(beside, (one) => Math.abs(one.x - here.x));
    return (next ?? targets[index + (direction === "right" ? 1 : -1)] ?? here).cpus[0];
  }
  const towards = targets.filter((one) =>
    direction === "down" ? one.y >= here.y + here.height : one.y + one.height <= here.y,
  );
  // A row further away never wins over a nearer one, unless the nearer one is far aside: boxes have different heights.
  return (nearest(towards, (one) => Math.abs(one.y - here.y) + 2 * aside(one, here)) ?? here).cpus[0];
}

interface Target extends Rect {
  readonly cpus: readonly number[];
}

function targetsOf({ units }: MapLayout, grain: Grain): readonly Target[] {
  return grain === "core" ? units : units.flatMap(threadsOf);
}

function threadsOf(unit: Unit): readonly Target[] {
  return unit.folded ? [unit] : unit.cells.map(asTarget);
}

function asTarget(cell: Cell): Target {
  const { x, y, width, height, cpu } = cell;
  return { x, y, width, height, cpus: [cpu] };
}

function targetOf(layout: MapLayout, grain: Grain, cpu: number): Target | undefined {
  const unit = layout.unitOf.get(cpu);
  if (!unit || grain === "core" || unit.folded) return unit;
  const cell = unit.cells.find((one) => one.cpu === cpu);
  return cell && asTarget(cell);
}

function unitAtCursor({ cursor }: Selection, { unitOf }: MapLayout): Unit | undefined {
  return cursor === undefined ? undefined : unitOf.get(cursor);
}

/** Moving ends a range: the next Shift begins a new one. */
function at({ cpus }: Selection, cursor: number | undefined): Selection {
  return { cpus, cursor };
}

function sideOf(one: Rect, here: Rect): Direction | undefined {
  if (one.x === here.x) return undefined;
  return one.x > here.x ? "right" : "left";
}

function sameRow(one: Rect, here: Rect): boolean {
  return one.y < here.y + here.height && here.y < one.y + one.height;
}

/** Pixels between two columns; 0 if they overlap. */
function aside(one: Rect, here: Rect): number {
  return Math.max(0, one.x - (here.x + here.width), here.x - (one.x + one.width));
}

function nearest(targets: readonly Target[], distance: (target: Target) => number): Target | undefined {
  let best: { target: Target; distance: number } | undefined;
  for (const target of targets) {
    const found = distance(target);
    if (!best || found < best.distance) best = { target, distance: found };
  }
  return best?.target;
}

function around(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  const [right, bottom] = [Math.max(a.x + a.width, b.x + b.width), Math.max(a.y + a.height, b.y + b.height)];
  return { x, y, width: right - x, height: bottom - y };
}

function overlap(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function has(cpus: ReadonlySet<number>, all: readonly number[]): boolean {
  return all.length > 0 && all.every((cpu) => cpus.has(cpu));
}

function without(cpus: ReadonlySet<number>, gone: readonly number[]): ReadonlySet<number> {
  const removed = new Set(gone);
  return new Set([...cpus].filter((cpu) => !removed.has(cpu)));
}

/** What is under a point. */
export function cpuAt({ units }: MapLayout, x: number, y: number): number | undefined {
  const unit = units.find((one) => contains(one, x, y));
  return unit?.cells.find((cell) => contains(cell, x, y))?.cpu ?? unit?.cpus[0];
}

/** The CPU whose core is nearest to a point: a drag that ends in a gap still says how far it goes. */
export function cpuNear({ units }: MapLayout, x: number, y: number): number | undefined {
  const cells = units.flatMap(threadsOf);
  return nearest(cells, (one) => squared(beyond(one, x, "x")) + squared(beyond(one, y, "y")))?.cpus[0];
}

function beyond(rect: Rect, value: number, axis: "x" | "y"): number {
  const end = rect[axis] + (axis === "x" ? rect.width : rect.height);
  return Math.max(0, rect[axis] - value, value - end);
}

function squared(value: number): number {
  return value * value;
}

function contains(rect: Rect, x: number, y: number): boolean {
  return beyond(rect, x, "x") === 0 && beyond(rect, y, "y") === 0;
}
