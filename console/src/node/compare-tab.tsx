import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import { useMemo } from "react";
import { Link } from "wouter";
import { Choice } from "../parts/choice.tsx";
import { Empty, Forbidden, Loading } from "../parts/states.tsx";
import { useTopic } from "../stream/use-topic.ts";
import { compareNodes } from "./compare.ts";
import { type NodeData, nodeData } from "./node-data.ts";

interface CompareTabProps {
  readonly name: string;
  readonly data: NodeData;
  /** Empty: a healthy node of the same pool and layout. */
  readonly other: string;
  readonly onChoose: (name: string) => void;
}

/** What this node and another one differ in. */
export function CompareTab({ name, data, other, onChoose }: CompareTabProps) {
  const peers = data.row?.peers ?? [];
  const chosen = other === "" ? peers[0] : other;
  if (chosen === undefined)
    return (
      <Empty title="No node to compare with">
        No other healthy node is in the same pool with the same CPUs. To compare any two nodes, select them in Fleet
        with <kbd>x</kbd> and press <kbd>c</kbd>.
      </Empty>
    );
  const names = [...new Set([chosen, ...peers])].map((peer) => ({ value: peer, text: peer }));
  return (
    <>
      <div className="attune-node-filter">
        <Choice
          label="Compare with"
          value={chosen}
          shown={`Compare with ${chosen}`}
          options={names}
          onChange={onChoose}
        />
        <Link href={`/nodes/${encodeURIComponent(chosen)}?with=${encodeURIComponent(name)}`}>Open {chosen}</Link>
      </div>
      <Differences key={chosen} name={name} data={data} other={chosen} />
    </>
  );
}

function Differences({
  name,
  data,
  other,
}: {
  readonly name: string;
  readonly data: NodeData;
  readonly other: string;
}) {
  const { isLoaded, rows, sources } = useTopic(`node/${other}` as "node/");
  const against = useMemo(() => nodeData(rows), [rows]);
  const differences = useMemo(() => compareNodes(data, against), [data, against]);
  const node = sources.get("this Node");
  if (node?.state === "denied") return <Forbidden rule={node.rule} what={`node ${other}`} />;
  if (!isLoaded || !sources.has("rows")) return <Loading label={`Loading node ${other}`} />;
  if (!against.row)
    return <Empty title={`There is no node ${other}`}>It has left the cluster, or its name is another one.</Empty>;
  if (differences.length === 0)
    return (
      <Empty title="No differences">
        {name} and {other} have the same settings, profiles, boot arguments and CPUs.
      </Empty>
    );
  return (
    <Table aria-label={`What ${name} and ${other} differ in`} variant="compact" gridBreakPoint="grid-md">
      <Thead>
        <Tr>
          <Th>What</Th>
          <Th>{name}</Th>
          <Th>{other}</Th>
        </Tr>
      </Thead>
      <Tbody>
        {differences.map(({ group, name: what, one, other: theirs }) => (
          <Tr key={`${group} ${what}`}>
            <Td dataLabel="What">
              <span className="attune-note">{group === "" ? "" : `[${group}] `}</span>
              {what}
            </Td>
            <Td dataLabel={name} className="attune-mono">
              {one ?? "-"}
            </Td>
            <Td dataLabel={other} className="attune-mono">
              {theirs ?? "-"}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
