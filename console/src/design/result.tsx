import { Label, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useState } from "react";
import type { BootChange } from "../../../src/domain/plan/boot-changes.ts";
import type { PlannedObject } from "../../../src/domain/plan/change-plan.ts";
import { difference } from "./words.ts";
import { Diff } from "../plan/diff.tsx";
import type { Forecast } from "./forecast.ts";

const marks = { create: "+", change: "~", delete: "-", none: "" } as const;

interface ResultProps {
  readonly forecast: Forecast | undefined;
  readonly isOld: boolean;
  /** How many nodes the pool has. */
  readonly nodes: number;
  readonly atOnce?: number | undefined;
}

/** What is derived from the draft, and what it does to nodes. */
export function Result({ forecast, isOld, nodes }: ResultProps) {
  const [active, setActive] = useState<string | number>(0);
  if (!forecast) return null;
  if (!forecast.plan) return <p>Nothing is derived until the errors are gone.</p>;
  const { objects, boot, changes, pools } = forecast.plan;
  const unresolved = [...new Set(changes.flatMap((change) => change.unresolved.map((probe) => JSON.stringify(probe))))];
  return (
    <div className={isOld ? "design-old" : undefined} aria-busy={isOld}>
      <Tabs activeKey={active} onSelect={(_, key) => setActive(key)} aria-label="What follows from the profile" isBox>
        {[
          ...objects.map(tabOf),
          <Tab key="boot" eventKey="boot" title={<TabTitleText>Boot</TabTitleText>}>
            <BootWords boot={boot} />
            {unresolved.length > 0 ? (
              <p>Some values depend on files and programs of each node: {unresolved.map(probeText).join(", ")}.</p>
            ) : null}
          </Tab>,
          <Tab
            key="reboots"
            eventKey="reboots"
            title={<TabTitleText>{`Reboots ${forecast.reboots.length}`}</TabTitleText>}
          >
            {forecast.reboots.length === 0 ? <p>No node restarts.</p> : null}
            {pools.map(({ pool, updates, atOnce }) => (
              <div key={pool}>
                <p>
                  Pool <b>{pool}</b>, {atOnce} at a time, {nodes} nodes:
                </p>
                <ul>
                  {updates.map(({ nodes, level, because }) => (
                    <li key={nodes.join()}>
                      <Label isCompact color={level === "reboot" ? "orange" : "grey"}>
                        {level}
                      </Label>{" "}
                      {nodes.join(", ")}
                      {because.length > 0 ? `, because of ${because.slice(0, 4).join(", ")}` : ""}
                      {because.length > 4 ? ` and ${because.length - 4} more` : ""}
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </Tab>,
        ]}
      </Tabs>
    </div>
  );
}

function tabOf(object: PlannedObject, at: number) {
  const { kind, name, change } = object;
  return (
    <Tab key={`${kind} ${name}`} eventKey={at} title={<TabTitleText>{`${kind} ${marks[change]}`.trim()}</TabTitleText>}>
      <ObjectDiff object={object} />
    </Tab>
  );
}

function ObjectDiff({ object: { kind, name, diff } }: { object: PlannedObject }) {
  return diff === "" ? <p>{`${kind} ${name} stays as it is.`}</p> : <Diff text={diff} label={`${kind} ${name}`} />;
}

/** Words of the kernel command line: added, removed and kept. */
export function BootWords({ boot }: { boot: readonly BootChange[] }) {
  if (boot.length === 0) return <p>Boot arguments stay as they are.</p>;
  return boot.map(({ machineConfig, pools, before = [], after = [] }) => {
    const added = difference(after, before);
    const removed = difference(before, after);
    const kept = difference(after, added);
    return (
      <section key={machineConfig} aria-label={`Boot arguments of ${pools.join(", ")}`}>
        <p>
          {pools.length > 0 ? `Pool ${pools.join(", ")}` : "No pool"}, by MachineConfig {machineConfig}:
        </p>
        <ul className="design-words">
          {numbered(added).map(([key, word]) => (
            <li key={`+${key}`} className="added">{`+ ${word}`}</li>
          ))}
          {numbered(removed).map(([key, word]) => (
            <li key={`-${key}`} className="removed">{`- ${word}`}</li>
          ))}
          {numbered(kept).map(([key, word]) => (
            <li key={key}>{word}</li>
          ))}
        </ul>
      </section>
    );
  });
}

/** A command line may have a word twice. */
function numbered(words: readonly string[]): [string, string][] {
  return words.map((word, at) => [`${word} ${at}`, word]);
}

function probeText(probe: string): string {
  const { type, argv, path } = JSON.parse(probe) as { type: string; argv?: readonly string[]; path?: string };
  return argv ? argv.join(" ") : (path ?? type);
}
