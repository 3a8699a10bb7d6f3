import { formatRanges } from "../../../src/language/cpu/cpu-set.ts";
import type { Rect, Unit } from "./layout.ts";
import { cacheTitle } from "./machine-tree.ts";
import type { CpuLooks } from "./map-drawing.tsx";
import { type Role, roles } from "./roles.ts";

interface TooltipProps {
  readonly cpu: number;
  readonly unit: Unit;
  readonly looks: CpuLooks;
  /** More that the view knows about a CPU: a finding, a pod. */
  readonly more: readonly string[];
  /** What is visible of the map, in its own pixels. */
  readonly visible: Rect;
}

const width = 260;

/** What there is to know about one CPU. */
export function CpuTooltip({ cpu, unit, looks, more, visible }: TooltipProps) {
  const { core, cache, numaNode } = unit.place;
  const role: Role | undefined = looks.roleOf.has(cpu) ? roles[looks.roleOf.get(cpu)!] : undefined;
  const place = [
    core ? `core ${core.id}` : "core unknown",
    cache ? cacheTitle(cache) : "",
    numaNode === undefined ? "" : `NUMA ${numaNode}`,
    core && core.socket >= 0 ? `socket ${core.socket}` : "",
  ];
  const left = Math.max(0, Math.min(unit.x - visible.x, visible.width - width));
  return (
    <div className="cpu-tooltip" role="tooltip" style={{ left, top: unit.y + unit.height + 10, width }}>
      <p>
        <strong>CPU {cpu}</strong>
        {unit.cpus.length > 1 ? `, threads ${formatRanges(unit.cpus)}` : ""}
      </p>
      <p>{place.filter(Boolean).join(", ")}</p>
      <p>
        {role ? role.title : "In no set"}
        {role?.field ? ` (${role.field})` : ""}
      </p>
      {looks.irq.has(cpu) ? <p>Serves interrupts</p> : null}
      {more.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}
