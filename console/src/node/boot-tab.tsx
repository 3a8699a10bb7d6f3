import {
  DescriptionList,
  DescriptionListDescription,
  DescriptionListGroup,
  DescriptionListTerm,
  Label,
} from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import { Empty } from "../parts/states.tsx";
import type { NodeData } from "./node-data.ts";

/** Boot arguments: wanted by the profile, reported, in the MachineConfig, and running. */
export function BootTab({ data: { boot } }: { readonly data: NodeData }) {
  if (!boot)
    return (
      <Empty title="No boot arguments">The profile of this node sets none, and its pool has none from a profile.</Empty>
    );
  const { wanted, reported, pool, machineConfig, pending, reached, because } = boot;
  const told = (reported ?? "").split(" ").filter(Boolean);
  const configured = machineConfig?.kernelArguments ?? [];
  const words = [...new Set([...wanted, ...told, ...configured])];
  const facts = [
    ["Pool", pool ?? "none"],
    ["MachineConfig", machineConfig?.name ?? "none"],
    ["Why", because],
  ] as const;
  return (
    <>
      <DescriptionList isCompact isHorizontal className="attune-node-boot">
        <DescriptionListGroup>
          <DescriptionListTerm>Reaches the node</DescriptionListTerm>
          <DescriptionListDescription>
            <Label isCompact variant="outline" status={reached ? "success" : "warning"}>
              {reached ? "yes" : "no"}
            </Label>
          </DescriptionListDescription>
        </DescriptionListGroup>
        {facts.map(([term, text]) => (
          <DescriptionListGroup key={term}>
            <DescriptionListTerm>{term}</DescriptionListTerm>
            <DescriptionListDescription>{text}</DescriptionListDescription>
          </DescriptionListGroup>
        ))}
      </DescriptionList>
      {words.length === 0 ? undefined : (
        <Table aria-label="Boot arguments" variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th>Argument</Th>
              <Th>Wanted</Th>
              <Th>Reported</Th>
              <Th>In the MachineConfig</Th>
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
                <Td dataLabel="In the MachineConfig">{yes(configured.includes(word))}</Td>
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
