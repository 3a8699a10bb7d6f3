import { Button } from "@patternfly/react-core";
import CopyIcon from "@patternfly/react-icons/dist/esm/icons/copy-icon";
import { type CpuSet, formatRanges } from "../../../src/language/cpu/cpu-set.ts";
import { type RoleName, roles } from "./roles.ts";

export type LegendName = RoleName | "none" | "irq";

export interface LegendEntry {
  readonly name: LegendName;
  readonly cpus: CpuSet;
}

interface LegendProps {
  readonly entries: readonly LegendEntry[];
  /** The pointer or the focus is on an entry. */
  readonly onOnly: (name: LegendName | undefined) => void;
}

/** Each set with its CPUs, to copy. */
export function Legend({ entries, onOnly }: LegendProps) {
  return (
    <ul className="cpu-legend" aria-label="Sets of CPUs">
      {entries.map(({ name, cpus }) => (
        <li
          key={name}
          onPointerEnter={() => onOnly(name)}
          onPointerLeave={() => onOnly(undefined)}
          onFocus={() => onOnly(name)}
          onBlur={() => onOnly(undefined)}
        >
          <Swatch name={name} />
          <span>{titleOf(name)}</span>
          <span className="cpu-legend-count">{cpus.length}</span>
          <span className="cpu-legend-cpus" title={formatRanges(cpus)}>
            {formatRanges(cpus)}
          </span>
          <Button
            variant="plain"
            size="sm"
            hasNoPadding
            aria-label={`Copy ${titleOf(name)}`}
            icon={<CopyIcon />}
            onClick={() => void navigator.clipboard.writeText(formatRanges(cpus))}
          />
        </li>
      ))}
    </ul>
  );
}

function Swatch({ name }: { name: LegendName }) {
  return (
    <svg width="28" height="18" aria-hidden="true">
      {name === "irq" ? (
        <>
          <rect className="cpu-core" x="0.5" y="0.5" width="27" height="17" />
          <path d="M1 1h8l-8 8z" fill="var(--cpu-ink)" />
        </>
      ) : (
        <>
          <rect className={`cpu-cell ${name}`} x="1" y="1" width="26" height="16" />
          {name === "none" ? null : (
            <text className={`cpu-label ${name}`} x="14" y="9.5">
              {roles[name].letter}
            </text>
          )}
        </>
      )}
    </svg>
  );
}

function titleOf(name: LegendName): string {
  if (name === "irq") return "Interrupts";
  return name === "none" ? "In no set" : roles[name].title;
}
