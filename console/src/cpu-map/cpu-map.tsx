import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { type CpuSet, cpuSet, difference } from "../../../src/language/cpu/cpu-set.ts";
import { type CpuTopology, onlineCpus } from "../../../src/language/cpu/cpu-topology.ts";
import "./cpu-map.css";
import { CpuTooltip } from "./cpu-tooltip.tsx";
import { actionOf } from "./keys.ts";
import { layoutMap, type MapLayout } from "./layout.ts";
import { Legend, type LegendEntry, type LegendName } from "./legend.tsx";
import type { MachinePart, SharedCache } from "./machine-tree.ts";
import { cellId, type CpuLooks, lookOfCpu, MapDrawing } from "./map-drawing.tsx";
import "./palette.css";
import { patternNames, Patterns } from "./patterns.tsx";
import { type ProfileRole, roleNames, roleOfCpus, type RoleSets } from "./roles.ts";
import { begin, cpuAt, cpuNear, extendTo, nothingSelected, type Selection, togglePart } from "./selection.ts";

export interface CpuMapProps {
  /** What the map is of: `CPUs of worker-17`. */
  readonly label: string;
  readonly topology: CpuTopology;
  readonly caches?: readonly SharedCache[] | undefined;
  readonly sets: RoleSets;
  /** The CPUs that serve interrupts. */
  readonly irq?: CpuSet | undefined;
  /** CPUs that a finding is about. */
  readonly marked?: CpuSet | undefined;
  /** CPUs that get another set soon. */
  readonly changing?: CpuSet | undefined;
  /** No profile divides the CPUs: that they are in no set is as it should be. */
  readonly undivided?: boolean;
  /** The hardware was typed, not reported. */
  readonly assumed?: boolean;
  /** More lines for the tooltip of a CPU. */
  readonly describe?: (cpu: number) => readonly string[];
  /** Absent: the map shows, and nothing can be selected. */
  readonly editing?: Editing;
}

export interface Editing {
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
  /** The selected CPUs get a role, or leave all sets. */
  readonly onAssign: (role: ProfileRole | undefined) => void;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
}

/** A machine's CPUs: where they are, and what each is for. */
export function CpuMap(props: CpuMapProps) {
  const { label, topology, caches, sets, irq, marked, changing, undivided, assumed, describe, editing } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const [only, setOnly] = useState<LegendName>();
  const [looking, setLooking] = useState(nothingSelected);
  const [hint, setHint] = useState<number>();
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const selection = editing?.selection ?? looking;
  const onSelect = editing?.onSelect ?? setLooking;
  const letters = useForcedColours();
  const looks = useMemo(
    (): CpuLooks => ({
      roleOf: roleOfCpus(sets),
      irq: new Set(irq),
      marked: new Set(marked),
      changing: new Set(changing),
      letters,
    }),
    [sets, irq, marked, changing, letters],
  );
  const layout = useLayout({ topology, caches, width, looks, unfolded, selection });
  const open = (part: MachinePart): void => setUnfolded(new Set([...unfolded, part.key]));
  const pointer = usePointer({ layout, selection, onSelect, onHint: setHint, open, selectable: editing !== undefined });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && hint !== undefined) {
      setHint(undefined);
      event.stopPropagation();
      return;
    }
    const action = actionOf(event, { layout, selection, selectable: editing !== undefined });
    if (action.type === "nothing") return;
    event.preventDefault();
    if (action.type === "select") {
      onSelect(action.selection);
      setHint(action.selection.cursor);
      const at = layout.unitOf.get(action.selection.cursor ?? -1);
      if (at) document.getElementById(cellId(id, at))?.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (action.type === "open") {
      const at = layout.unitOf.get(selection.cursor ?? -1);
      if (at?.folded) open(at.part);
    } else if (action.type === "assign") editing?.onAssign(action.role);
    else if (action.type === "undo") editing?.onUndo();
    else editing?.onRedo();
  };

  const cursor = layout.unitOf.get(selection.cursor ?? -1);
  const hinted = hint === undefined ? undefined : layout.unitOf.get(hint);
  return (
    <div
      className={`cpu-map${assumed ? " assumed" : ""}${undivided ? " undivided" : ""}`}
      style={patternNames(id)}
      ref={frame}
    >
      <div className="cpu-map-scroll" ref={scroll}>
        <svg
          className={`cpu-map-grid${layout.small ? " small" : ""}`}
          width={layout.width}
          height={layout.height}
          role="grid"
          aria-label={label}
          aria-multiselectable={editing !== undefined}
          aria-readonly={editing === undefined}
          aria-rowcount={(layout.units.at(-1)?.row ?? -1) + 1}
          tabIndex={0}
          {...(cursor ? { "aria-activedescendant": cellId(id, cursor) } : {})}
          {...(only ? { "data-only": only } : {})}
          onKeyDown={onKeyDown}
          onFocus={() => {
            const [first] = layout.units;
            if (selection.cursor === undefined && first) onSelect({ ...selection, cursor: first.cpus[0] });
          }}
          onBlur={() => setHint(undefined)}
          {...pointer}
        >
          <Patterns id={id} />
          <MapDrawing
            id={id}
            layout={layout}
            looks={looks}
            selected={selection.cpus}
            selectable={editing !== undefined}
          />
          {cursor ? (
            <rect
              className="cpu-cursor"
              aria-hidden="true"
              x={cursor.x - 3}
              y={cursor.y - 3}
              width={cursor.width + 6}
              height={cursor.height + 6}
              rx="2"
            />
          ) : null}
        </svg>
        {hint !== undefined && hinted ? (
          <CpuTooltip
            cpu={hint}
            unit={hinted}
            looks={looks}
            more={describe?.(hint) ?? []}
            visible={{ x: scroll.current?.scrollLeft ?? 0, y: 0, width, height: layout.height }}
          />
        ) : null}
      </div>
      <Legend entries={entriesOf(topology, sets, irq)} onOnly={setOnly} />
    </div>
  );
}

interface LayoutUse {
  topology: CpuTopology;
  caches: readonly SharedCache[] | undefined;
  width: number;
  looks: CpuLooks;
  unfolded: ReadonlySet<string>;
  selection: Selection;
}

/** Where it is narrow, a NUMA node of one colour folds to a line, until it is opened or something in it is selected. */
function useLayout({ topology, caches, width, looks, unfolded, selection }: LayoutUse): MapLayout {
  const folded = (part: MachinePart): boolean =>
    part.level === "numa" &&
    !unfolded.has(part.key) &&
    new Set(part.cpus.map((cpu) => lookOfCpu(cpu, looks))).size === 1 &&
    (part.cpus.every((cpu) => selection.cpus.has(cpu)) || !part.cpus.some((cpu) => selection.cpus.has(cpu)));
  // The layout depends on which parts fold, not on every selection.
  const all = useMemo(() => layoutMap({ topology, caches, width }), [topology, caches, width]);
  const keys = all.boxes.flatMap(({ part }) => (part.cores.length > 0 && folded(part) ? [part.key] : [])).join();
  return useMemo(() => {
    const names = new Set(keys.split(","));
    return layoutMap({ topology, caches, width, folds: ({ key }) => names.has(key) });
  }, [topology, caches, width, keys]);
}

interface PointerUse {
  layout: MapLayout;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onHint: (cpu: number | undefined) => void;
  open: (part: MachinePart) => void;
  selectable: boolean;
}

/** Clicks and drags. A finger scrolls the page, so that it taps only: a tap adds to the selection. */
function usePointer({ layout, selection, onSelect, onHint, open, selectable }: PointerUse) {
  const dragging = useRef(false);
  const pointOf = ({ currentTarget, clientX, clientY }: PointerEvent<SVGSVGElement>): [number, number] => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };
  const grainOf = ({ altKey }: PointerEvent) => ({ layout, grain: altKey ? "thread" : "core" }) as const;
  const press = (event: PointerEvent<SVGSVGElement>): void => {
    const part = partAt(event, layout);
    const keep = event.ctrlKey || event.metaKey || event.pointerType === "touch";
    if (part && selectable) return onSelect(togglePart(selection, part.cpus, keep));
    const cpu = cpuAt(layout, ...pointOf(event));
    if (cpu === undefined) return selectable ? onSelect({ ...nothingSelected, cursor: selection.cursor }) : undefined;
    const unit = layout.unitOf.get(cpu);
    if (unit?.folded) return open(unit.part);
    if (!selectable) return onSelect({ ...selection, cursor: cpu });
    onSelect(
      event.shiftKey ? extendTo(selection, cpu, grainOf(event)) : begin(selection, cpu, { ...grainOf(event), keep }),
    );
    if (event.pointerType === "touch") return;
    dragging.current = true;
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      if (event.button === 0) press(event);
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      const point = pointOf(event);
      onHint(dragging.current || event.pointerType === "touch" ? undefined : cpuAt(layout, ...point));
      if (!dragging.current) return;
      const cpu = cpuNear(layout, ...point);
      if (cpu !== undefined && cpu !== selection.cursor) onSelect(extendTo(selection, cpu, grainOf(event)));
    },
    onPointerUp: () => {
      dragging.current = false;
    },
    onPointerCancel: () => {
      dragging.current = false;
    },
    onPointerLeave: () => onHint(undefined),
  };
}

function partAt({ target }: PointerEvent, { boxes }: MapLayout): MachinePart | undefined {
  const key = target instanceof Element ? target.getAttribute("data-part") : null;
  return key === null ? undefined : boxes.find(({ part }) => part.key === key)?.part;
}

function entriesOf(topology: CpuTopology, sets: RoleSets, irq: CpuSet | undefined): readonly LegendEntry[] {
  const present = cpuSet([...onlineCpus(topology), ...topology.offline]);
  const left = difference(
    present,
    roleNames.flatMap((name) => sets[name] ?? []),
  );
  const entries: LegendEntry[] = roleNames.map((name) => ({ name, cpus: sets[name] ?? [] }));
  return [...entries, { name: "none" as const, cpus: left }, { name: "irq" as const, cpus: irq ?? [] }].filter(
    ({ cpus }) => cpus.length > 0,
  );
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observed = element.current;
    if (!observed) return;
    const measure = (): void => setWidth(Math.max(0, Math.floor(observed.clientWidth) - 8));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(observed);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

const forcedColours = "(forced-colors: active)";

function useForcedColours(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(forcedColours);
      query.addEventListener("change", changed);
      return () => query.removeEventListener("change", changed);
    },
    () => matchMedia(forcedColours).matches,
  );
}
