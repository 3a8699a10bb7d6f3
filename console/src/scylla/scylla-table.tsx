import { Label } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import CheckCircleIcon from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import ExclamationCircleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon";
import ExclamationTriangleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import InProgressIcon from "@patternfly/react-icons/dist/esm/icons/in-progress-icon";
import { Link } from "wouter";
import type { GateView, JobView, ScyllaNodeView } from "../../../src/domain/scylla/view/scylla-node.ts";
import { CopyCommand } from "../parts/copy-command.tsx";
import { ageText } from "../parts/since.ts";
import { useNow } from "../parts/use-now.ts";

/** Nodes of databases: CPUs, interrupts, the last Job, and the gate of each database. */
export function ScyllaTable({ nodes }: { readonly nodes: readonly ScyllaNodeView[] }) {
  const now = useNow();
  if (nodes.length === 0) return <p>No node is selected by a ScyllaNodeConfig, and none has a database.</p>;
  return (
    <Table aria-label="Nodes of databases" variant="compact" gridBreakPoint="grid-lg" className="scylla-table">
      <Thead>
        <Tr>
          <Th width={15}>Node</Th>
          <Th width={10}>Config</Th>
          <Th width={15}>CPUs</Th>
          <Th width={10}>IRQ</Th>
          <Th width={25}>Job</Th>
          <Th width={25}>Gate</Th>
        </Tr>
      </Thead>
      <Tbody>
        {nodes.map(({ node, config, cpus, irqCpus, job, gates }) => (
          <Tr key={node}>
            <Td dataLabel="Node" className="scylla-text">
              <Link href={`/nodes/${encodeURIComponent(node)}`}>{node}</Link>
            </Td>
            <Td dataLabel="Config" className="scylla-text">
              {config || "-"}
            </Td>
            <Td dataLabel="CPUs" className="scylla-text">
              <code>{cpus || "-"}</code>
            </Td>
            <Td dataLabel="IRQ" className="scylla-text">
              <code>{irqCpus || "-"}</code>
            </Td>
            <Td dataLabel="Job" className="scylla-text">
              {job ? <Job job={job} now={now} /> : "none"}
            </Td>
            <Td dataLabel="Gate" className="scylla-text">
              {gates.length === 0 ? "no database" : gates.map((gate) => <Gate key={gate.pod} gate={gate} now={now} />)}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function Job({ job, now }: { readonly job: JobView; readonly now: number }) {
  const { state, attempt, message, retryAt, command } = job;
  if (state === "tuned")
    return (
      <span className="attune-state">
        <CheckCircleIcon className="attune-quiet-success" /> tuned
      </span>
    );
  if (state === "running")
    return (
      <Label isCompact variant="outline" status="info" icon={<InProgressIcon />}>
        running{attempt > 1 ? `, try ${attempt}` : ""}
      </Label>
    );
  return (
    <details className="scylla-job" open>
      <summary>
        <Label isCompact variant="outline" status="danger" icon={<ExclamationCircleIcon />}>
          failed{attempt > 1 ? `, ${attempt} times` : ""}
        </Label>
        {retryAt === undefined ? undefined : <span className="attune-note"> next try {untilText(retryAt, now)}</span>}
      </summary>
      <pre className="scylla-log" tabIndex={0} aria-label="End of the log">
        {message}
      </pre>
      <CopyCommand command={command} />
    </details>
  );
}

function untilText(at: string, now: number): string {
  const seconds = Math.ceil((Date.parse(at) - now) / 1000);
  if (seconds <= 0) return "now";
  return seconds < 90 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} m`;
}

function Gate({ gate, now }: { readonly gate: GateView; readonly now: number }) {
  const { pod, state, since, because, command } = gate;
  if (state === "open")
    return (
      <div className="attune-state">
        <CheckCircleIcon className="attune-quiet-success" /> {pod} started
      </div>
    );
  if (state === "no gate")
    return (
      <div className="attune-state">
        {pod} has no gate <span className="attune-note">{because}</span>
      </div>
    );
  return (
    <div className="scylla-gate">
      <Label isCompact variant="outline" status="warning" icon={<ExclamationTriangleIcon />}>
        waits{since === undefined ? "" : ` ${ageText(since, now)}`}
      </Label>{" "}
      {pod}: {because}
      <details>
        <summary>Open the gate by hand</summary>
        <p>The database starts without tuning. Its node is tuned for it later, if at all.</p>
        <CopyCommand command={command} />
      </details>
    </div>
  );
}
