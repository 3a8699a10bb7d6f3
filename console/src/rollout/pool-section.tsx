import { Alert, Title } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { count } from "../../../src/domain/fleet/fleet-summary.ts";
import { isOpen } from "../../../src/domain/rollout/view/rollout-sentence.ts";
import type { RowOf } from "../../protocol/topics.ts";
import { CopyCommand } from "../parts/copy-command.tsx";
import { useNarrow } from "../parts/use-narrow.ts";
import { useNow } from "../parts/use-now.ts";
import { NodeStrip } from "./node-strip.tsx";
import { PauseButton } from "./pause-button.tsx";
import { PoolStateLabel } from "./pool-state.tsx";

type Row = RowOf<"rollout">;

/** One pool: how far it is, what happens now, what comes next and what is held back. */
export function PoolSection({ row, isExpanded }: { readonly row: Row; readonly isExpanded: boolean }) {
  const { name, state, target, nodes } = row;
  const id = `rollout-${row.kind}-${name.replace("/", "-")}`;
  return (
    <section className="rollout-pool" aria-labelledby={id}>
      <div className="rollout-head">
        <Title headingLevel="h2" size="lg" id={id}>
          <Link href={`/rollout/${name.split("/").map(encodeURIComponent).join("/")}`}>{name}</Link>
        </Title>
        <PoolStateLabel state={state} />
        <span className="attune-note rollout-actor">
          {row.kind === "NodePool" ? "NodePool, " : ""}
          {actorText(row)}
        </span>
        <PauseButton row={row} />
      </div>
      {nodes === 0 ? <p className="attune-note">It has no nodes.</p> : <Progress row={row} />}
      {state === "paused" ? <Paused row={row} /> : undefined}
      {isExpanded ? <Details row={row} /> : undefined}
      {isExpanded && target !== "" ? (
        <p className="attune-note rollout-target">
          Config <code>{target}</code>
        </p>
      ) : undefined}
    </section>
  );
}

function actorText({ actor }: Row): string {
  if (actor === "none") return "nothing rolls it out: there is no Machine Config Operator yet";
  return actor === undefined
    ? "who rolls it out is not known"
    : `rolled out by ${actor === "Attune" ? "Attune" : "the Machine Config Operator"}`;
}

function Progress({ row }: { readonly row: Row }) {
  const { nodes, updated, activeCount, failed, budget, inUse, unavailable } = row;
  const moving = Math.max(0, Math.min(activeCount, nodes - updated) - failed);
  const parts = [
    { what: "attune-bar-good", size: updated },
    { what: "attune-bar-moving", size: moving },
    { what: "attune-bar-trouble", size: failed },
    { what: "rollout-bar-rest", size: Math.max(0, nodes - updated - moving - failed) },
  ];
  return (
    <>
      <div className="rollout-bar" aria-hidden="true">
        {parts.map(({ what, size }) =>
          size === 0 ? undefined : <span key={what} className={what} style={{ flexGrow: size }} />,
        )}
      </div>
      <p className="rollout-counts">
        {count(updated)} of {count(nodes)} updated
        {budget === undefined ? "" : `, budget ${count(budget)}, in use ${count(inUse)}`}, failed {count(failed)}
        {unavailable === 0 ? "" : `, not available ${count(unavailable)}`}
      </p>
    </>
  );
}

/** A pool that was paused and forgotten lacks corrections for years. */
function Paused({ row }: { readonly row: Row }) {
  const behind = row.nodes - row.updated;
  const until = row.pausedUntil === "" || row.pausedUntil === "true" ? "" : ` until ${row.pausedUntil}`;
  if (!isOpen(row)) return <p>Paused{until}. No node lacks anything now.</p>;
  return (
    <Alert component="p" isInline variant="warning" title={`Paused${until} and behind`}>
      {count(behind)} of {count(row.nodes)} {row.nodes === 1 ? "node" : "nodes"} {behind === 1 ? "lacks" : "lack"} the
      config that the pool has now, and {behind === 1 ? "gets" : "get"} nothing of it until the pool is resumed.
    </Alert>
  );
}

/** Said of the very node, below. */
const namedBelow = new Set(["DrainBlocked", "NodeCordoned"]);

function Details({ row }: { readonly row: Row }) {
  const now = useNow();
  const { active, activeCount, next, nextCount, held, heldCount } = row;
  const waits = row.waits.filter(({ reason }) => !namedBelow.has(reason));
  return (
    <div className="rollout-details">
      {waits.length === 0 ? undefined : (
        <Part title="Waits for">
          <ul className="rollout-list">
            {waits.map(({ reason, message }, at) => (
              <li key={`${reason} ${at}`}>{message}</li>
            ))}
          </ul>
        </Part>
      )}
      <Part title="Now">
        {activeCount === 0 ? (
          <p>No node is on the way.</p>
        ) : (
          <ul className="rollout-nodes">
            {active.map((node) => (
              <NodeStrip key={node.node} node={node} now={now} />
            ))}
          </ul>
        )}
        <More shown={active.length} all={activeCount} />
      </Part>
      {nextCount === 0 ? undefined : (
        <Fold title="Next" all={nextCount}>
          <p className="rollout-next">
            {next.map(({ node, zone }, at) => (
              <span key={node}>
                {at === 0 ? "" : ", "}
                <Link href={`/nodes/${encodeURIComponent(node)}`}>{node}</Link>
                {zone !== "" && zone !== next[at - 1]?.zone ? <span className="attune-note"> zone {zone}</span> : ""}
              </span>
            ))}
          </p>
          <More shown={next.length} all={nextCount} />
        </Fold>
      )}
      {heldCount === 0 ? undefined : (
        <Fold title="Held back" all={heldCount}>
          <ul className="rollout-nodes">
            {held.map(({ node, because, command }) => (
              <li key={`${node} ${because}`}>
                <Link href={`/nodes/${encodeURIComponent(node)}`}>{node}</Link> {because}{" "}
                {command === "" ? undefined : <CopyCommand command={command} />}
              </li>
            ))}
          </ul>
          <More shown={held.length} all={heldCount} />
        </Fold>
      )}
    </div>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="rollout-part">
      <h3>{title}</h3>
      <div>{children}</div>
    </div>
  );
}

/** On narrow screens it is folded: what happens now comes first. */
function Fold({
  title,
  all,
  children,
}: {
  readonly title: string;
  readonly all: number;
  readonly children: ReactNode;
}) {
  const isNarrow = useNarrow();
  if (!isNarrow) return <Part title={title}>{children}</Part>;
  return (
    <details className="rollout-fold">
      <summary>
        {title} ({count(all)})
      </summary>
      {children}
    </details>
  );
}

function More({ shown, all }: { readonly shown: number; readonly all: number }) {
  return all > shown ? <p className="attune-note">and {count(all - shown)} more</p> : undefined;
}
