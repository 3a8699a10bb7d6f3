import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import { type KeyboardEvent, memo, type ReactNode, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { count, needYou } from "../../../src/domain/fleet/fleet-summary.ts";
import { useRowWindow } from "../parts/row-window.ts";
import { ageText } from "../parts/since.ts";
import { Tint } from "../parts/tint.tsx";
import { type Column, columns, type Line, type Row, type Sort } from "./fleet-list.ts";
import { StateLabel } from "./state-label.tsx";

const rowHeight = 37;
const narrowRowHeight = 61;

const titles: Readonly<Record<Column, string>> = {
  name: "Node",
  pool: "Pool",
  profile: "Profile",
  state: "State",
  drift: "Drift",
  reboot: "Reboot",
  since: "Since",
};

export interface FleetTableProps {
  readonly lines: readonly Line[];
  readonly rows: ReadonlyMap<string, Row>;
  readonly shown: readonly Column[];
  readonly sort: Sort;
  readonly now: number;
  readonly isNarrow: boolean;
  readonly onSort: (by: Column) => void;
  readonly onToggleGroup: (name: string) => void;
  readonly onOpen: (name: string) => void;
  readonly onHold: (isHeld: boolean) => void;
}

/** Thousands of rows, of which those in sight are drawn. */
export function FleetTable(props: FleetTableProps) {
  const { lines, rows, shown, sort, now, isNarrow, onSort, onToggleGroup, onOpen, onHold } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const height = isNarrow ? narrowRowHeight : rowHeight;
  const { first, end } = useRowWindow(scroller, lines.length, height);
  const [active, setActive] = useState(0);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [, navigate] = useLocation();
  const visible = isNarrow ? [] : columns.filter((column) => column === "name" || shown.includes(column));
  const width = isNarrow ? 1 : visible.length;

  const moveTo = (at: number): void => {
    const next = Math.max(0, Math.min(lines.length - 1, at));
    setActive(next);
    const element = scroller.current;
    if (!element) return;
    const seen = element.clientHeight - 2 * height;
    if (next * height < element.scrollTop) element.scrollTop = next * height;
    else if (next * height > element.scrollTop + seen) element.scrollTop = next * height - seen;
  };
  const keys: Readonly<Record<string, (line: Line | undefined) => void>> = {
    ArrowDown: () => moveTo(active + 1),
    ArrowUp: () => moveTo(active - 1),
    PageDown: () => moveTo(active + 20),
    PageUp: () => moveTo(active - 20),
    Home: () => moveTo(0),
    End: () => moveTo(lines.length - 1),
    Enter: (line) => {
      if (line?.type === "node") navigate(`/nodes/${encodeURIComponent(line.name)}`);
      else if (line) onToggleGroup(line.name);
    },
    " ": (line) => line?.type === "node" && onOpen(line.name),
    x: (line) => {
      if (line?.type !== "node") return;
      const { name } = line;
      setSelected(selected.includes(name) ? selected.filter((one) => one !== name) : [...selected.slice(-1), name]);
    },
    c: () => {
      const [one, other] = selected;
      if (one !== undefined && other !== undefined)
        navigate(`/nodes/${encodeURIComponent(one)}?with=${encodeURIComponent(other)}`);
    },
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act(lines[active]);
  };
  return (
    <div
      className="attune-table"
      ref={scroller}
      onPointerEnter={() => onHold(true)}
      onPointerLeave={() => onHold(false)}
      onFocus={() => onHold(true)}
      onBlur={() => onHold(false)}
    >
      <Table
        aria-label="Nodes"
        variant="compact"
        isStickyHeader
        role="grid"
        tabIndex={0}
        aria-rowcount={lines.length + 1}
        aria-multiselectable
        aria-activedescendant={active >= first && active < end ? `fleet-line-${active}` : undefined}
        className={isNarrow ? "attune-narrow" : "attune-wide"}
        gridBreakPoint=""
        onKeyDown={onKeyDown}
      >
        <Thead className={isNarrow ? "pf-v6-screen-reader" : ""}>
          <Tr aria-rowindex={1}>
            {isNarrow ? (
              <Th>Node</Th>
            ) : (
              visible.map((column, at) => (
                <Th
                  key={column}
                  className={`attune-column-${column}`}
                  sort={{
                    columnIndex: at,
                    sortBy: { index: visible.indexOf(sort.by), direction: sort.descending ? "desc" : "asc" },
                    onSort: () => onSort(column),
                  }}
                >
                  {titles[column]}
                </Th>
              ))
            )}
          </Tr>
        </Thead>
        <Tbody>
          <Spacer height={first * height} width={width} />
          {lines.slice(first, end).map((line, at) => {
            const index = first + at;
            const common = { index, isActive: index === active };
            if (line.type === "group")
              return (
                <GroupLine key={`group ${line.name}`} {...common} line={line} width={width} onToggle={onToggleGroup} />
              );
            const row = rows.get(line.name);
            if (!row) return undefined;
            const isSelected = selected.includes(line.name);
            return (
              <NodeLine
                key={line.name}
                {...common}
                name={line.name}
                row={row}
                age={ageText(row.since, now)}
                columns={visible}
                isSelected={isSelected}
                onOpen={onOpen}
              />
            );
          })}
          <Spacer height={(lines.length - end) * height} width={width} />
        </Tbody>
      </Table>
    </div>
  );
}

/** Stands for rows that are not in sight. */
function Spacer({ height, width }: { readonly height: number; readonly width: number }) {
  if (height <= 0) return undefined;
  return (
    <tr aria-hidden="true" className="attune-spacer">
      <td colSpan={width} style={{ height }} />
    </tr>
  );
}

interface GroupLineProps {
  readonly index: number;
  readonly isActive: boolean;
  readonly line: Extract<Line, { type: "group" }>;
  readonly width: number;
  readonly onToggle: (name: string) => void;
}

function GroupLine({ index, isActive, line: { name, summary, isOpen }, width, onToggle }: GroupLineProps) {
  const trouble = needYou(summary.states);
  const rest = trouble === 0 ? "" : `, ${count(trouble)} ${trouble === 1 ? "needs" : "need"} you`;
  return (
    <Tr
      id={`fleet-line-${index}`}
      aria-rowindex={index + 2}
      className={isActive ? "attune-group attune-active" : "attune-group"}
    >
      <Td colSpan={width}>
        <button type="button" className="attune-group-button" aria-expanded={isOpen} onClick={() => onToggle(name)}>
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> {name || "none"} ({count(summary.nodes)}){rest}
        </button>
      </Td>
    </Tr>
  );
}

interface NodeLineProps {
  readonly index: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly name: string;
  readonly row: Row;
  readonly age: string;
  /** Empty: two lines in one cell. */
  readonly columns: readonly Column[];
  readonly onOpen: (name: string) => void;
}

const NodeLine = memo(function NodeLine(props: NodeLineProps) {
  const { index, isActive, isSelected, name, row, age, columns: shown, onOpen } = props;
  const link = (
    <>
      <Link href={`/nodes/${encodeURIComponent(name)}`}>{name}</Link>
      {row.cordoned ? <span className="attune-note"> cordoned</span> : undefined}
      {row.ready ? undefined : <span className="attune-note"> not ready</span>}
    </>
  );
  const profile = row.profile === row.inForce || row.inForce === "" ? row.profile : `${row.inForce} → ${row.profile}`;
  const cells: Readonly<Record<Column, ReactNode>> = {
    name: link,
    pool: row.pool || "-",
    profile: <Tint text={profile || "-"} />,
    state: (
      <button type="button" className="attune-state-button" title={row.because} onClick={() => onOpen(name)}>
        <StateLabel state={row.state} />
      </button>
    ),
    drift: <Tint text={row.drift === 0 ? "-" : String(row.drift)} />,
    reboot: <Tint text={row.reboot ? "yes" : "-"} />,
    since: age,
  };
  return (
    <Tr
      id={`fleet-line-${index}`}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={`${isActive ? "attune-active" : ""} ${isSelected ? "attune-selected" : ""}`}
    >
      {shown.length === 0 ? (
        <Td>
          <div className="attune-two-lines">
            <span>{link}</span>
            <span>{cells.state}</span>
            <span className="attune-note">
              {[row.pool, profile, row.drift > 0 ? `${row.drift} drifted` : "", age]
                .filter((one) => one !== "")
                .join(", ")}
            </span>
          </div>
        </Td>
      ) : (
        shown.map((column) => (
          <Td key={column} dataLabel={titles[column]} modifier="truncate" className={`attune-column-${column}`}>
            {cells[column]}
          </Td>
        ))
      )}
    </Tr>
  );
});
