import type { CpuSet } from "../../../src/language/cpu/cpu-set.ts";
import type { CpuTopology } from "../../../src/language/cpu/cpu-topology.ts";
import { machineTree, type MachinePart, type PlacedCore, type SharedCache } from "./machine-tree.ts";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One thread. */
export interface Cell extends Rect {
  readonly cpu: number;
  /** Four digits do not fit a small cell: there only the first thread of a core is labelled. */
  readonly labelled: boolean;
}

/** What is selected as a whole: a core, or a folded NUMA node. */
export interface Unit extends Rect {
  readonly index: number;
  readonly cpus: CpuSet;
  /** Empty for a folded NUMA node. */
  readonly cells: readonly Cell[];
  readonly place: PlacedCore;
  readonly part: MachinePart;
  readonly folded: boolean;
  /** Which row of the grid it is in. */
  readonly row: number;
}

export interface Box extends Rect {
  readonly part: MachinePart;
  /** 0 is outermost. */
  readonly depth: number;
}

export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly small: boolean;
  readonly boxes: readonly Box[];
  readonly units: readonly Unit[];
  /** By number of the CPU. */
  readonly unitOf: ReadonlyMap<number, Unit>;
}

export interface LayoutInput {
  readonly topology: CpuTopology;
  readonly caches?: readonly SharedCache[] | undefined;
  /** Pixels across. The layout is wider only if one core is. */
  readonly width: number;
  /** Which parts are drawn as one line. */
  readonly folds?: (part: MachinePart) => boolean;
}

/** Pixels. Below this width there is one box a row, and parts may fold. */
export const narrow = 640;
/** More CPUs than this have small cells. */
const mostLarge = 256;
const large = { width: 28, height: 24 };
const small = { width: 20, height: 18 };
const coreGap = 6;
const boxGap = 10;
const padding = 8;
const titleHeight = 22;
const captionHeight = 15;
const foldedHeight = 28;
/** Fewer cores are one row: a line in their place would save nothing. */
const foldedCores = 8;
/** About the width of a letter of a title: boxes are never narrower than their titles. */
const letter = 6.8;

/** Where everything of the map of a machine is drawn. */
export function layoutMap({ topology, caches, width, folds = () => false }: LayoutInput): MapLayout {
  const parts = machineTree(topology, caches);
  const count = parts.reduce((sum, { cpus }) => sum + cpus.length, 0);
  const drawing: Drawing = {
    cell: count > mostLarge ? small : large,
    folds: width < narrow ? folds : () => false,
    boxes: [],
    units: [],
    row: 0,
  };
  const size = drawRow(parts, { x: 0, y: 0, width, depth: 0 }, drawing);
  const unitOf = new Map(drawing.units.flatMap((unit) => unit.cpus.map((cpu) => [cpu, unit] as const)));
  return { ...size, small: drawing.cell === small, boxes: drawing.boxes, units: drawing.units, unitOf };
}

interface Drawing {
  readonly cell: { width: number; height: number };
  readonly folds: (part: MachinePart) => boolean;
  readonly boxes: Box[];
  readonly units: Unit[];
  row: number;
}

interface Space {
  x: number;
  y: number;
  width: number;
  depth: number;
}

interface Size {
  width: number;
  height: number;
}

/** Parts beside each other, as long as they fit. */
function drawRow(parts: readonly MachinePart[], space: Space, drawing: Drawing): Size {
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const part of parts) {
    const needed = sizeOf(part, space.width, drawing);
    if (x > 0 && x + needed.width > space.width) {
      x = 0;
      y += rowHeight + boxGap;
      rowHeight = 0;
    }
    const { width: drawn, height } = drawPart(part, { ...space, x: space.x + x, y: space.y + y }, drawing);
    x += drawn + boxGap;
    width = Math.max(width, x - boxGap);
    rowHeight = Math.max(rowHeight, height);
  }
  return { width, height: y + rowHeight };
}

/** Draws aside, for the size alone. */
function sizeOf(part: MachinePart, width: number, drawing: Drawing): Size {
  return drawPart(part, { x: 0, y: 0, width, depth: 0 }, { ...drawing, boxes: [], units: [] });
}

function drawPart(part: MachinePart, space: Space, drawing: Drawing): Size {
  if (part.cores.length >= foldedCores && drawing.folds(part)) return drawFolded(part, space, drawing);
  const at = drawing.boxes.length;
  const top = part.level === "cache" ? captionHeight : titleHeight;
  const inner = { x: space.x + padding, y: space.y + top, width: space.width - 2 * padding, depth: space.depth + 1 };
  const content = part.parts.length > 0 ? drawRow(part.parts, inner, drawing) : drawCores(part, inner, drawing);
  const width = Math.ceil(Math.max(content.width, part.title.length * letter)) + 2 * padding;
  const height = top + content.height + padding;
  // Before its content: a box is painted under what is in it.
  drawing.boxes.splice(at, 0, { part, depth: space.depth, x: space.x, y: space.y, width, height });
  return { width, height };
}

function drawFolded(part: MachinePart, { x, y, width, depth }: Space, drawing: Drawing): Size {
  const rect = { x, y, width, height: foldedHeight };
  const [place] = part.cores;
  if (!place) return rect;
  drawing.boxes.push({ part, depth, ...rect });
  const index = drawing.units.length;
  drawing.units.push({ index, cpus: part.cpus, cells: [], place, part, folded: true, row: drawing.row++, ...rect });
  return rect;
}

function drawCores(part: MachinePart, { x, y, width }: Space, drawing: Drawing): Size {
  const { cell } = drawing;
  const most = Math.max(0, ...part.cores.map(({ cpus }) => cpus.length));
  const coreWidth = cell.width * Math.min(2, most);
  const perRow = [8, 4, 2].find((count) => count * (coreWidth + coreGap) - coreGap <= width) ?? 1;
  const rowHeight = cell.height * Math.ceil(most / 2) + coreGap;
  part.cores.forEach((place, i) => {
    const left = x + (i % perRow) * (coreWidth + coreGap);
    const top = y + Math.floor(i / perRow) * rowHeight;
    const cells = place.cpus.map((cpu, thread): Cell => ({
      cpu,
      labelled: cell === large || thread === 0,
      x: left + (thread % 2) * cell.width,
      y: top + Math.floor(thread / 2) * cell.height,
      ...cell,
    }));
    drawing.units.push({
      index: drawing.units.length,
      cpus: place.cpus,
      cells,
      place,
      part,
      folded: false,
      row: drawing.row + Math.floor(i / perRow),
      x: left,
      y: top,
      width: cell.width * Math.min(2, cells.length),
      height: cell.height * Math.ceil(cells.length / 2),
    });
  });
  const rows = Math.ceil(part.cores.length / perRow);
  drawing.row += rows;
  const across = Math.min(part.cores.length, perRow);
  return {
    width: Math.max(0, across * (coreWidth + coreGap) - coreGap),
    height: Math.max(0, rows * rowHeight - coreGap),
  };
}
