import { Alert, Label, Title } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import CheckCircleIcon from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import ExclamationCircleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import ExclamationTriangleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import InProgressIcon from "@patternfly/react-icons/dist/esm/icons/in-progress-icon";
import UnknownIcon from "@patternfly/react-icons/dist/esm/icons/unknown-icon";
import type { ReactElement } from "react";
import { Link } from "wouter";
import { count } from "../../../src/domain/fleet/fleet-summary.ts";
import type { ChainState } from "../../../src/domain/node-pool/view/tuning-chains.ts";
import type { RowOf } from "../../protocol/topics.ts";
import { ageText } from "../parts/since.ts";
import { Tint } from "../parts/tint.tsx";
import { useNow } from "../parts/use-now.ts";

type Row = RowOf<"clusters">;

interface NodePoolChainsProps {
  /** Of the NodePool. */
  readonly row: Row;
  /** What it refers to. */
  readonly chains: readonly Row[];
}

/** A NodePool: what its users wrote, by which ConfigMaps it went, and what it is in the hosted cluster. */
export function NodePoolChains({ row, chains }: NodePoolChainsProps) {
  const { nodePool, management, hosted, pool } = row;
  const id = `clusters-${management}-${nodePool.replace("/", "-")}`;
  const there = `Hosted cluster ${pool?.hostedCluster ?? ""}${hosted === "" ? "" : ` (${hosted})`}`;
  return (
    <section className="clusters-pool" aria-labelledby={id}>
      <div className="clusters-head">
        <Title headingLevel="h2" size="lg" id={id}>
          <Link href={`/rollout/${nodePool.split("/").map(encodeURIComponent).join("/")}`}>{nodePool}</Link>
        </Title>
        <span className="attune-note">
          NodePool of {management}; {count(pool?.updated ?? 0)} of {count(pool?.nodes ?? 0)}{" "}
          {pool?.nodes === 1 ? "node" : "nodes"} updated
        </span>
      </div>
      {(pool?.waits ?? []).map(({ reason, message }) => (
        <Alert component="p" key={`${reason} ${message}`} isInline isPlain variant="warning" title={message} />
      ))}
      {chains.length === 0 ? (
        <p className="attune-note">It refers to no ConfigMap with tuning.</p>
      ) : (
        <Table aria-label={`What ${nodePool} refers to`} variant="compact" gridBreakPoint="grid-md">
          <Thead>
            <Tr>
              <Th>Management</Th>
              <Th>On the way</Th>
              <Th>{there}</Th>
              <Th>State</Th>
            </Tr>
          </Thead>
          <Tbody>
            {chains.map((of) => (
              <ChainRow key={JSON.stringify(of.chain)} row={of} there={there} />
            ))}
          </Tbody>
        </Table>
      )}
    </section>
  );
}

function ChainRow({ row: { chain, reverted }, there }: { readonly row: Row; readonly there: string }) {
  const now = useNow();
  if (!chain) return undefined;
  const { configMap, kind, name, way, objects, state, because } = chain;
  return (
    <Tr>
      <Td dataLabel="Management" className="clusters-cell">
        <div>
          ConfigMap <code>{configMap}</code>
        </div>
        {kind === "" ? undefined : (
          <div className="attune-note">
            {kind} {name}
          </div>
        )}
      </Td>
      <Td dataLabel="On the way" className="clusters-cell">
        {way.length === 0 ? "-" : way.map((one) => <code key={one}>{one}</code>)}
      </Td>
      <Td dataLabel={there} className="clusters-cell">
        {objects.length === 0 ? "-" : objects.map((one) => <code key={one}>{one}</code>)}
        {reverted === undefined ? undefined : (
          <div className="attune-note">
            An edit there was set back {ageText(reverted.last, now)} ago
            {reverted.times > 1 ? `, ${count(reverted.times)} times in all` : ""}.
          </div>
        )}
      </Td>
      <Td dataLabel="State" className="clusters-cell">
        <div>
          <ChainStateLabel state={state} />
        </div>
        {because === "" ? undefined : <div className="clusters-because">{because}</div>}
      </Td>
    </Tr>
  );
}

type Look = { readonly icon: ReactElement; readonly status?: "warning" | "danger" | "info" };

const looks: Readonly<Record<ChainState, Look>> = {
  "in sync": { icon: <CheckCircleIcon className="attune-quiet-success" /> },
  "on the way": { icon: <InProgressIcon />, status: "info" },
  edited: { icon: <ExclamationTriangleIcon />, status: "warning" },
  "not valid": { icon: <ExclamationCircleIcon />, status: "danger" },
  "not seen": { icon: <UnknownIcon /> },
};

function ChainStateLabel({ state }: { readonly state: ChainState }) {
  const { icon, status } = looks[state];
  if (status === undefined)
    return (
      <span className="attune-state">
        {icon} <Tint text={state} />
      </span>
    );
  return (
    <Label isCompact variant="outline" status={status} icon={icon}>
      {state}
    </Label>
  );
}
