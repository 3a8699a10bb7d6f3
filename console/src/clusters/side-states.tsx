import { Alert, AlertActionLink } from "@patternfly/react-core";
import { useEffect, useRef, useState } from "react";
import type { Source } from "../../protocol/frames.ts";
import { canICommand, ruleText } from "../parts/rule-text.ts";
import { CopyCommand } from "../parts/copy-command.tsx";

/** One cluster, and what of it cannot be read. */
export interface Side {
  readonly name: string;
  readonly down: string | undefined;
  readonly denied: readonly Extract<Source, { state: "denied" }>[];
}

/** Sources are named `Kind of CLUSTER`. */
export function sidesOf(sources: ReadonlyMap<string, Source>): readonly Side[] {
  const names = new Set([...sources.keys()].flatMap((kind) => (kind.includes(" of ") ? [nameIn(kind)] : [])));
  return [...names].toSorted().map((name) => {
    const own = [...sources].flatMap(([kind, source]) => (nameIn(kind) === name ? [source] : []));
    const failed = own.find(({ state }) => state === "failed");
    return {
      name,
      down: failed?.state === "failed" ? failed.message : undefined,
      denied: own.flatMap((source) => (source.state === "denied" ? [source] : [])),
    };
  });
}

function nameIn(kind: string): string {
  return kind.slice(kind.indexOf(" of ") + " of ".length);
}

/** Each cluster by itself: one that is down is out of date, and the other goes on. */
export function SideStates({ sides, onRetry }: { readonly sides: readonly Side[]; readonly onRetry: () => void }) {
  return (
    <>
      <ul className="clusters-sides" aria-label="Clusters">
        {sides.map(({ name, down }) => (
          <li key={name} className={`attune-live ${down === undefined ? "attune-live-live" : "attune-live-stale"}`}>
            {name}: {down === undefined ? "live" : "not live"}
          </li>
        ))}
      </ul>
      {sides.map((side) => (
        <SideProblems key={side.name} side={side} onRetry={onRetry} />
      ))}
    </>
  );
}

function SideProblems({
  side: { name, down, denied },
  onRetry,
}: {
  readonly side: Side;
  readonly onRetry: () => void;
}) {
  const asOf = useLastLive(down === undefined);
  return (
    <>
      {down === undefined ? undefined : (
        <Alert
          component="p"
          isInline
          variant="warning"
          title={`Cluster ${name} does not answer: its side is as of ${asOf}`}
          actionLinks={<AlertActionLink onClick={onRetry}>Retry</AlertActionLink>}
        >
          {down}
        </Alert>
      )}
      {denied.map(({ rule }) => (
        <Alert
          component="p"
          key={ruleText(rule)}
          isInline
          isPlain
          variant="info"
          title={`No access in cluster ${name}`}
        >
          Your account may not {ruleText(rule)}. <CopyCommand command={canICommand(rule)} />
        </Alert>
      ))}
    </>
  );
}

function useLastLive(isLive: boolean): string {
  const last = useRef(Date.now());
  const [shown, setShown] = useState("");
  useEffect(() => {
    if (!isLive) setShown(new Date(last.current).toLocaleTimeString("en-GB"));
    return () => {
      if (isLive) last.current = Date.now();
    };
  }, [isLive]);
  return shown;
}
