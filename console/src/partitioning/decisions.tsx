import { Button, Label } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import BanIcon from "@patternfly/react-icons/dist/esm/icons/ban-icon";
import CheckCircleIcon from "@patternfly/react-icons/dist/esm/icons/check-circle-icon";
import ExclamationTriangleIcon from "@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon";
import MinusCircleIcon from "@patternfly/react-icons/dist/esm/icons/minus-circle-icon";
import { type ReactElement, useState } from "react";
import { count } from "../../../src/domain/fleet/fleet-summary.ts";
import type { AdmissionDecision } from "../../../src/domain/admission-log/admission-decision.ts";
import { useNarrow } from "../parts/use-narrow.ts";

type Decision = AdmissionDecision & { readonly key: string };

/** Of a thousand, so many are drawn at first. */
const page = 100;

/** The newest first. While a person points at them or has the focus there, they stay where they are. */
export function Decisions({ decisions }: { readonly decisions: readonly Decision[] }) {
  const [held, setHeld] = useState<readonly Decision[]>();
  const [most, setMost] = useState(page);
  const isNarrow = useNarrow();
  const shown = held ?? decisions;
  const known = new Set(held?.map(({ key, at }) => `${key} ${at}`));
  const waiting = held ? decisions.filter(({ key, at }) => !known.has(`${key} ${at}`)).length : 0;
  const hold = (): void => setHeld((now) => now ?? decisions);
  const release = (): void => setHeld(undefined);
  return (
    <div onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release} className="partitioning-list">
      <p className="attune-note" role="status">
        {held
          ? `Held while you look${waiting === 0 ? "" : `: ${count(waiting)} new`}`
          : `${count(shown.length)} decisions`}
      </p>
      {isNarrow ? (
        <ul className="partitioning-cards" aria-label="Decisions of admission">
          {shown.slice(0, most).map((decision) => (
            <Card key={decision.key} decision={decision} />
          ))}
        </ul>
      ) : (
        <DecisionTable decisions={shown.slice(0, most)} />
      )}
      {shown.length > most ? (
        <Button variant="link" onClick={() => setMost(most + page)}>
          Show {count(Math.min(page, shown.length - most))} older
        </Button>
      ) : undefined}
    </div>
  );
}

/** Two lines, and what changed on request. */
function Card({ decision }: { readonly decision: Decision }) {
  const { at, rule, outcome, because, changed, count: times } = decision;
  return (
    <li>
      <div className="partitioning-card-line">
        <span className="partitioning-text">{nameOf(decision)}</span>
        <OutcomeLabel outcome={outcome} />
      </div>
      <details className="attune-note">
        <summary>
          <time dateTime={at}>{clockText(at)}</time>, {rule}
          {times > 1 ? `, ${count(times)} times` : ""}
        </summary>
        {changed.map((one) => (
          <div key={one} className="partitioning-text">
            {one}
          </div>
        ))}
        {outcome === "rewritten" ? undefined : <div className="partitioning-text">{because}</div>}
      </details>
    </li>
  );
}

function nameOf({ kind, namespace, name }: Decision): string {
  return `${kind === "Pod" ? "" : `${kind} `}${namespace === "" ? name : `${namespace}/${name}`}`;
}

function DecisionTable({ decisions }: { readonly decisions: readonly Decision[] }) {
  return (
    <Table aria-label="Decisions of admission" variant="compact" gridBreakPoint="">
      <Thead>
        <Tr>
          <Th width={10}>Time</Th>
          <Th width={20}>Pod</Th>
          <Th width={15}>Rule</Th>
          <Th width={15}>Outcome</Th>
          <Th>Changed</Th>
        </Tr>
      </Thead>
      <Tbody>
        {decisions.map((decision) => (
          <Row key={decision.key} decision={decision} />
        ))}
      </Tbody>
    </Table>
  );
}

function Row({ decision }: { readonly decision: Decision }) {
  const { at, rule, outcome, because, changed, count: times } = decision;
  return (
    <Tr>
      <Td dataLabel="Time">
        <time dateTime={at} className="partitioning-time">
          {clockText(at)}
        </time>
      </Td>
      <Td dataLabel="Pod" className="partitioning-text">
        {nameOf(decision)}
      </Td>
      <Td dataLabel="Rule" className="partitioning-text">
        {rule}
      </Td>
      <Td dataLabel="Outcome">
        <OutcomeLabel outcome={outcome} />
        {times > 1 ? <span className="attune-note"> {count(times)} times</span> : undefined}
      </Td>
      <Td dataLabel="Changed" className="partitioning-text">
        {changed.map((one) => (
          <div key={one}>{one}</div>
        ))}
        {outcome === "rewritten" ? undefined : <div className="attune-note">{because}</div>}
      </Td>
    </Tr>
  );
}

function clockText(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "-" : time.toLocaleTimeString("en-GB");
}

type Outcome = AdmissionDecision["outcome"];
type Look = { readonly text: string; readonly icon: ReactElement; readonly status?: "warning" | "danger" };

const looks: Readonly<Record<Outcome, Look>> = {
  rewritten: { text: "on reserved CPUs", icon: <CheckCircleIcon className="attune-quiet-success" /> },
  passed: { text: "left as it was", icon: <MinusCircleIcon /> },
  stripped: { text: "warned", icon: <ExclamationTriangleIcon />, status: "warning" },
  refused: { text: "refused", icon: <BanIcon />, status: "danger" },
};

function OutcomeLabel({ outcome }: { readonly outcome: Outcome }) {
  const { text, icon, status } = looks[outcome];
  if (status === undefined)
    return (
      <span className="attune-state">
        {icon} {text}
      </span>
    );
  return (
    <Label isCompact variant="outline" status={status} icon={icon}>
      {text}
    </Label>
  );
}
