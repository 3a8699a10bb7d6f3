import { count, groupRows, needYou } from "../../../src/domain/fleet/fleet-summary.ts";
import { useMemo } from "react";
import type { Row } from "./fleet-list.ts";

export interface PoolBarsProps {
  readonly rows: ReadonlyMap<string, Row>;
  readonly chosen: string;
  readonly onChoose: (pool: string) => void;
}

/** How far each pool is, and what in it needs a person. A click filters. */
export function PoolBars({ rows, chosen, onChoose }: PoolBarsProps) {
  const groups = useMemo(() => groupRows([...rows.values()], "pool"), [rows]);
  if (groups.length < 2 && chosen === "") return undefined;
  return (
    <div className="attune-pools" role="group" aria-label="Pools">
      {groups.map(({ name, summary: { nodes, states } }) => {
        const trouble = needYou(states);
        const parts = [
          { what: "good", size: states["As wanted"] },
          {
            what: "moving",
            size: states.Applying + states["Waiting for reboot"] + states["Waiting for config"],
          },
          { what: "unknown", size: states.Unknown },
          { what: "trouble", size: trouble },
        ];
        return (
          <button
            key={name}
            type="button"
            className="attune-pool"
            aria-pressed={chosen === name && name !== ""}
            disabled={name === ""}
            onClick={() => onChoose(chosen === name ? "" : name)}
          >
            <span className="attune-pool-name">{name || "no pool"}</span>
            <span>{count(nodes)}</span>
            <span className="attune-pool-bar" aria-hidden="true">
              {parts.map(({ what, size }) =>
                size === 0 ? undefined : (
                  <span key={what} className={`attune-bar-${what}`} style={{ flexGrow: size }} />
                ),
              )}
            </span>
            {trouble === 0 ? undefined : (
              <span className="attune-pool-trouble">
                {count(trouble)} {trouble === 1 ? "needs" : "need"} you
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}
