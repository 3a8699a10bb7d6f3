import { Label } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import { withoutArguments } from "../../../src/domain/node-tuning/explain/boot.ts";
import { Empty } from "../parts/states.tsx";
import type { NodeData } from "./node-data.ts";

/** Boot arguments: wanted by the profile, reported, in the MachineConfig, and running. */
export function BootTab({ data: { boot } }: { readonly data: NodeData }) {
  if (!boot)
    return (
      <Empty title="No boot arguments">The profile of this node sets none, and its pool has none from a profile.</Empty>
    );
  const { wanted, reported, pool, machineConfig, pending, reached } = boot;
  const told = (reported ?? "").split(" ").filter(Boolean);
  const configured = machineConfig?.kernelArguments ?? [];
  const words = [...new Set([...wanted, ...told, ...configured])];
  const facts = [
    ["Pool", pool ?? "none"],
    ["MachineConfig", machineConfig?.name ?? "none"],
    ["Why", withoutArguments(boot)],
  ] as const;
  return (
    <>
      <dl className="attune-node-facts attune-node-boot">
        <div>
          <dt>Reaches the node</dt>
          <dd>
            <Label isCompact variant="outline" status={reached ? "success" : "warning"}>
              {reached ? "yes" : "no"}
            </Label>
          </dd>
        </div>
        {facts.map(([term, text]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {words.length === 0 ? undefined : (
        <Table aria-label="Boot arguments" variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th>Argument</Th>
              <Th>Wanted</Th>
              <Th>Reported</Th>
              <Th>Configured</Th>
              <Th>Running</Th>
            </Tr>
          </Thead>
          <Tbody>
            {words.map((word) => (
              <Tr key={word}>
                <Td dataLabel="Argument" className="attune-mono">
                  {word}
                </Td>
                <Td dataLabel="Wanted">{yes(wanted.includes(word))}</Td>
                <Td dataLabel="Reported">{reported === undefined ? "not known" : yes(told.includes(word))}</Td>
                <Td dataLabel="Configured">{yes(configured.includes(word))}</Td>
                <Td dataLabel="Running">{runningText(word, { told, pending })}</Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </>
  );
}

function yes(is: boolean): string {
  return is ? "yes" : "-";
}

function runningText(
  word: string,
  of: { readonly told: readonly string[]; readonly pending: readonly string[] },
): string {
  if (of.pending.includes(word)) return "after the next restart";
  return of.told.includes(word) ? "yes" : "not known";
}
