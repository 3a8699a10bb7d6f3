import { memo } from "react";
import type { Box, Cell, MapLayout, Unit } from "./layout.ts";
import { type RoleName, roles } from "./roles.ts";

/** What each CPU looks like. */
export interface CpuLooks {
  readonly roleOf: ReadonlyMap<number, RoleName>;
  readonly irq: ReadonlySet<number>;
  /** CPUs that a finding is about. */
  readonly marked: ReadonlySet<number>;
  readonly changing: ReadonlySet<number>;
  /** Letters instead of colours. */
  readonly letters: boolean;
}

interface DrawingProps {
  readonly id: string;
  readonly layout: MapLayout;
  readonly looks: CpuLooks;
  readonly selected: ReadonlySet<number>;
  readonly selectable: boolean;
}

/** Boxes and cores. Each core is drawn again only if it looks different. */
export const MapDrawing = memo(function MapDrawing({ id, layout, looks, selected, selectable }: DrawingProps) {
  return (
    <>
      <Boxes boxes={layout.boxes} selectable={selectable} />
      {rowsOf(layout.units).map((units) => (
        <g role="row" aria-rowindex={(units[0]?.row ?? 0) + 1} key={units[0]?.row}>
          {units.map((unit) => (
            <UnitDrawing
              key={unit.index}
              id={cellId(id, unit)}
              unit={unit}
              small={layout.small}
              letters={looks.letters}
              look={lookOf(unit, looks)}
              selected={selectionOf(unit, selected)}
              selectable={selectable}
            />
          ))}
        </g>
      ))}
    </>
  );
});

export function cellId(map: string, { index }: Unit): string {
  return `${map}-${index}`;
}

function rowsOf(units: readonly Unit[]): readonly (readonly Unit[])[] {
  const rows: Unit[][] = [];
  for (const unit of units) (rows[unit.row] ??= []).push(unit);
  return rows.filter((row) => row.length > 0);
}

const Boxes = memo(function Boxes({ boxes, selectable }: { boxes: readonly Box[]; selectable: boolean }) {
  return (
    <g aria-hidden="true">
      {boxes.map(({ part, depth, ...rect }) => (
        <g key={part.key}>
          <rect className={`cpu-box ${depth === 0 ? "outer" : part.level}`} rx="3" {...rect} />
          <text
            className={`cpu-title ${part.level}${selectable && part.cpus.length > 0 ? " selects" : ""}`}
            data-part={part.key}
            x={rect.x + 8}
            y={rect.y + (part.level === "cache" ? 11 : 15)}
          >
            {part.title}
          </text>
        </g>
      ))}
    </g>
  );
});

const flagNames = ["irq", "marked", "changing"] as const;

/** Its words, so that React compares texts: `isolated irq`. */
export function lookOfCpu(cpu: number, looks: CpuLooks): string {
  return [looks.roleOf.get(cpu) ?? "none", ...flagNames.filter((flag) => looks[flag].has(cpu))].join(" ");
}

function lookOf({ cpus }: Unit, looks: CpuLooks): string {
  return cpus.map((cpu) => lookOfCpu(cpu, looks)).join();
}

/** `all`, or the CPUs that are selected. */
function selectionOf({ cpus }: Unit, selected: ReadonlySet<number>): string {
  const chosen = cpus.filter((cpu) => selected.has(cpu));
  return chosen.length === cpus.length ? "all" : chosen.join();
}

interface UnitProps {
  readonly id: string;
  readonly unit: Unit;
  readonly small: boolean;
  readonly letters: boolean;
  readonly look: string;
  readonly selected: string;
  readonly selectable: boolean;
}

const UnitDrawing = memo(function UnitDrawing({ id, unit, small, letters, look, selected, selectable }: UnitProps) {
  const looks = look.split(",");
  const chosen = new Set(selected.split(","));
  const state = selectable ? { "aria-selected": selected === "all" } : {};
  return (
    <g role="gridcell" id={id} aria-label={spoken(unit, looks)} {...state}>
      {unit.folded ? (
        <Folded unit={unit} look={looks[0] ?? ""} />
      ) : (
        unit.cells.map((cell, i) => (
          <CellDrawing key={cell.cpu} cell={cell} look={looks[i] ?? ""} {...{ small, letters }} />
        ))
      )}
      <rect className={selected === "all" ? "cpu-core selected" : "cpu-core"} {...rectOf(unit)} />
      {selected === "all"
        ? null
        : unit.cells
            .filter(({ cpu }) => chosen.has(String(cpu)))
            .map((cell) => <rect key={cell.cpu} className="cpu-core selected" {...rectOf(cell)} />)}
    </g>
  );
});

function CellDrawing({ cell, look, small, letters }: { cell: Cell; look: string; small: boolean; letters: boolean }) {
  const { x, y, width, height, cpu, labelled } = cell;
  const [role = "none", ...flags] = look.split(" ");
  // Outlines stay inside the cell: its neighbour would be painted over them.
  const inset = role === "none" || role === "offlined" ? 1 : 0;
  const letter = role in roles ? roles[role as RoleName].letter : "";
  return (
    <>
      <rect
        className={`cpu-cell ${look}`}
        x={x + inset}
        y={y + inset}
        width={width - 2 * inset}
        height={height - 2 * inset}
      />
      {flags.includes("irq") ? (
        <path className={`cpu-irq ${role}`} d={small ? `M${x} ${y}h5l-5 5z` : `M${x} ${y}h7l-7 7z`} />
      ) : null}
      {labelled || letters ? (
        <text className={`cpu-label ${look}`} x={x + width / 2} y={y + height / 2 + 0.5}>
          {/* A space, so that the labels of a core do not read as one number. */}
          {letters && small ? letter : `${letters ? letter : ""}${cpu} `}
        </text>
      ) : null}
      {flags.some((flag) => flag !== "irq") ? (
        <circle className="cpu-mark" cx={x + width - 5} cy={y + 5} r="4" />
      ) : null}
    </>
  );
}

function Folded({ unit, look }: { unit: Unit; look: string }) {
  const { x, y, width, height } = unit;
  return (
    <>
      <rect className="cpu-box outer" rx="3" x={x} y={y} width={width} height={height} />
      <rect className={`cpu-cell ${look}`} x={x + 6} y={y + 7} width={20} height={14} />
      <text className="cpu-folded" x={x + 34} y={y + height / 2}>
        {foldedTitle(unit, look)}
      </text>
      <text className="cpu-folded" aria-hidden="true" x={x + width - 18} y={y + height / 2}>
        ▾
      </text>
    </>
  );
}

function rectOf({ x, y, width, height }: Cell | Unit) {
  return { x, y, width, height };
}

function foldedTitle({ part, cpus }: Unit, look: string): string {
  return `${part.title}: ${cpus.length} ${words(look).toLowerCase()}`;
}

/** What a screen reader says of a core. Of a line it is what is drawn: all CPUs of it look the same. */
function spoken(unit: Unit, looks: readonly string[]): string {
  const { cpus, place, folded } = unit;
  if (folded) return foldedTitle(unit, looks[0] ?? "");
  const where = place.numaNode === undefined ? "off, place unknown" : `NUMA ${place.numaNode}`;
  const what = [...new Set(looks)].map(words);
  return `CPU ${cpus.join(", ")}; ${where}; ${what.join(", ")}`;
}

const flagWords = { irq: "interrupts", marked: "has a finding", changing: "about to change" };

function words(look: string): string {
  const [role = "none", ...flags] = look.split(" ");
  const title = role in roles ? roles[role as RoleName].title : "In no set";
  return [title, ...flags.map((flag) => flagWords[flag as keyof typeof flagWords])].join(", ");
}
