import { Drawer, DrawerContent } from "@patternfly/react-core";
import { useCallback, useEffect, useMemo, useState } from "react";
import {
  fleetSentence,
  type Grouping,
  groupings,
  needYou,
  summarise,
} from "../../../src/domain/fleet/fleet-summary.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Announcer } from "../parts/announcer.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Empty, Failed, Forbidden, Loading, SourceProblems } from "../parts/states.tsx";
import { useNarrow } from "../parts/use-narrow.ts";
import { useNow } from "../parts/use-now.ts";
import { useQuery } from "../parts/use-query.ts";
import { type Topic, useStream, useTopic } from "../stream/use-topic.ts";
import "./fleet.css";
import { type Column, columns, type Filter, linesOf, matches, type Row, type Sort } from "./fleet-list.ts";
import { FleetTable } from "./fleet-table.tsx";
import { FleetToolbar, optionalColumns } from "./fleet-toolbar.tsx";
import { NodePreview } from "./node-preview.tsx";
import { PoolBars } from "./pool-bars.tsx";
import { useFleetOrder } from "./use-fleet-order.ts";

const what = { Node: "the nodes", Profile: "the Profiles of nodes", MachineConfigPool: "the pools" };

/** Is anything wrong now, and where? */
export function Fleet() {
  const { isLoaded, rows, sources } = useTopic("fleet");
  const isEmpty = !isLoaded || rows.size === 0 || sources.get("Node")?.state === "denied";
  return isEmpty ? (
    <>
      <AnswerLine view="Fleet" answer={undefined} />
      <NoRows isLoaded={isLoaded} sources={sources} />
    </>
  ) : (
    <>
      <SourceProblems sources={sources} what={what} />
      <Nodes rows={rows} />
    </>
  );
}

function NoRows({ isLoaded, sources }: Pick<Topic<Row>, "isLoaded" | "sources">) {
  const { stream } = useStream();
  const nodes = sources.get("Node");
  if (nodes?.state === "denied") return <Forbidden rule={nodes.rule} what="the nodes of this cluster" />;
  if (nodes?.state === "failed")
    return <Failed attempt="read the nodes of this cluster" message={nodes.message} onRetry={() => stream.retry()} />;
  if (!isLoaded || [...sources.values()].some(({ state }) => state === "loading"))
    return <Loading label="Loading the nodes" rows={8} />;
  return (
    <Empty title="No nodes" command="attune lab --nodes 3">
      No Linux node has joined this cluster. Nodes appear here as they join; virtual ones for a trial come with this
      command.
    </Empty>
  );
}

function Nodes({ rows }: { readonly rows: ReadonlyMap<string, Row> }) {
  const { query, setQuery } = useQuery();
  const isNarrow = useNarrow();
  const now = useNow();
  const search = query.toString();
  const { filter, sort, group, shown } = useMemo(() => readQuery(new URLSearchParams(search)), [search]);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const { names, moved, hold, resort } = useFleetOrder(rows, sort);
  const summary = useMemo(() => summarise([...rows.values()]), [rows]);
  const found = useMemo(
    () => names.filter((name) => matches(name, rows.get(name) as Row, filter)),
    [names, rows, filter],
  );
  const lines = useMemo(() => linesOf(found, rows, { group, closed }), [found, rows, group, closed]);
  const pools = useMemo(
    () => [...new Set([...rows.values()].map(({ pool }) => pool))].filter(Boolean).toSorted(),
    [rows],
  );
  const profiles = useMemo(
    () => [...new Set([...rows.values()].map(({ profile }) => profile))].filter(Boolean).toSorted(),
    [rows],
  );
  const sentence = fleetSentence(summary);
  const opened = query.get("node") ?? "";
  const open = useCallback((node: string): void => setQuery({ node }), [setQuery]);
  const close = (): void => setQuery({ node: "" });
  useEscape(opened !== "", close);
  const toggle = (name: string): void => {
    const next = new Set(closed);
    if (!next.delete(name)) next.add(name);
    setClosed(next);
  };
  return (
    <>
      <AnswerLine view="Fleet" answer={sentence} actions={<CopyCommand command="attune status" />} />
      <Announcer text={sentence} />
      <PoolBars rows={rows} chosen={filter.pool} onChoose={(pool) => setQuery({ pool })} />
      <FleetToolbar
        {...{ filter, group, shown, pools, profiles, moved, isNarrow }}
        matching={found.length}
        needYou={needYou(summary.states)}
        onQuery={setQuery}
        onResort={resort}
      />
      <Drawer isExpanded={opened !== ""} isInline={!isNarrow} className="attune-drawer">
        <DrawerContent
          panelContent={<NodePreview name={opened} row={rows.get(opened)} now={now} onClose={close} />}
          className="attune-drawer-content"
        >
          <FleetTable
            {...{ lines, rows, shown, sort, now, isNarrow }}
            onSort={(by) =>
              setQuery({ sort: by === "name" ? "" : by, order: sort.by === by && !sort.descending ? "desc" : "" })
            }
            onToggleGroup={toggle}
            onOpen={open}
            onHold={hold}
          />
          {found.length > 0 ? undefined : (
            <Empty title="No node matches">
              {rows.size === 1 ? "The one node" : `None of ${rows.size} nodes`} has these values. Clear the filters to
              see all.
            </Empty>
          )}
        </DrawerContent>
      </Drawer>
    </>
  );
}

function readQuery(query: URLSearchParams): {
  filter: Filter;
  sort: Sort;
  group: Grouping | "";
  shown: readonly Column[];
} {
  const value = (name: string): string => query.get(name) ?? "";
  const list = query.get("columns")?.split(",");
  return {
    filter: {
      text: value("q"),
      pool: value("pool"),
      profile: value("profile"),
      state: value("state") as Filter["state"],
    },
    sort: { by: columns.find((one) => one === value("sort")) ?? "name", descending: value("order") === "desc" },
    group: groupings.find((one) => one === value("group")) ?? "",
    shown: list ? optionalColumns.filter((column) => list.includes(column)) : optionalColumns,
  };
}

function useEscape(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") close();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
}
