import { Button, Tab, Tabs, TabTitleText } from "@patternfly/react-core";
import { useEffect, useMemo, useState } from "react";
import { useParams } from "wouter";
import type { Source } from "../../protocol/frames.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import { Announcer } from "../parts/announcer.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Empty, Failed, Forbidden, Loading, SourceProblems, WriteButton } from "../parts/states.tsx";
import { useNarrow } from "../parts/use-narrow.ts";
import { useQuery } from "../parts/use-query.ts";
import { useStream, useTopic } from "../stream/use-topic.ts";
import { nodeAnswer } from "./answer.ts";
import { BootTab } from "./boot-tab.tsx";
import { CompareTab } from "./compare-tab.tsx";
import { CpusTab } from "./cpus-tab.tsx";
import { EventsTab } from "./events-tab.tsx";
import { NodeFacts } from "./node-facts.tsx";
import "./node.css";
import { type NodeData, nodeData } from "./node-data.ts";
import { RulesTab } from "./rules-tab.tsx";
import { needsLook } from "./setting-words.ts";
import { SettingsTab } from "./settings-tab.tsx";
import { useReadNow } from "./use-read-now.ts";

const what = {
  Node: "the nodes",
  Profile: "the Profiles of nodes",
  "this Node": "this node",
  "this Profile": "the Profile of this node",
  Tuned: "the Tuneds",
  MachineConfigPool: "the pools",
  MachineConfig: "the MachineConfigs",
  PerformanceProfile: "the performance profiles",
  Pod: "the pods",
  Job: "the Jobs that tune for databases",
  rows: "the explanation",
};

const tabs = ["settings", "cpus", "rules", "boot", "events", "compare"] as const;
type TabName = (typeof tabs)[number];

/** Does this node have what it should have, and who set what? */
export function NodeView() {
  const { name } = useParams<{ name: string }>();
  const { isLoaded, rows, sources } = useTopic(`node/${name}` as "node/");
  const { stream } = useStream();
  const data = useMemo(() => nodeData(rows), [rows]);
  const node = sources.get("this Node");
  const title = <AnswerLine view="Node" answer={name} />;
  if (node?.state === "denied")
    return (
      <>
        {title}
        <Forbidden rule={node.rule} what="this node" />
      </>
    );
  if (!data.row && node?.state === "failed")
    return (
      <>
        {title}
        <Failed attempt={`read node ${name}`} message={node.message} onRetry={() => stream.retry()} />
      </>
    );
  // The server says so when it has put the rows together for the first time.
  if (!isLoaded || !sources.has("rows"))
    return (
      <>
        {title}
        <Loading label={`Loading node ${name}`} rows={8} />
      </>
    );
  if (!data.row)
    return (
      <>
        {title}
        <Empty title={`There is no node ${name}`} command="kubectl get nodes">
          It has left the cluster, or its name is another one. This page shows it as soon as it joins.
        </Empty>
      </>
    );
  return <Node key={name} name={name} data={data} sources={sources} />;
}

interface NodeProps {
  readonly name: string;
  readonly data: NodeData;
  readonly sources: ReadonlyMap<string, Source>;
}

function Node({ name, data, sources }: NodeProps) {
  const { query, setQuery } = useQuery();
  const now = useNow();
  const reading = useReadNow(name);
  const isNarrow = useNarrow();
  const answer = nodeAnswer(name, data, now) ?? name;
  const other = query.get("with") ?? "";
  const asked = tabs.find((tab) => tab === query.get("tab"));
  const tab = asked ?? (other === "" ? "settings" : "compare");
  const show = (next: TabName): void => setQuery({ tab: next === "settings" && other === "" ? "" : next });
  // On a phone not all tabs are in sight.
  useEffect(() => {
    document.getElementById(`pf-tab-${tab}-node`)?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [tab, isNarrow]);
  const trouble = data.settings.filter(needsLook).length;
  const titles: Readonly<Record<TabName, string>> = {
    settings: trouble > 0 ? `Settings ${trouble}!` : "Settings",
    cpus: "CPUs",
    rules: data.rules ? `Rules ${data.rules.rules.length}` : "Rules",
    boot: "Boot",
    events: "Events",
    compare: "Compare",
  };
  const explained = data.about !== undefined;
  const problems = new Map([...sources].filter(([kind]) => kind !== "Job"));
  const missing = <Unexplained sources={problems} />;
  const panels: Readonly<Record<TabName, () => React.ReactNode>> = {
    settings: () => (explained ? <SettingsTab data={data} reading={reading} now={now} /> : missing),
    cpus: () => <CpusTab name={name} data={data} jobs={sources.get("Job")} />,
    rules: () => (explained ? <RulesTab data={data} /> : missing),
    boot: () => (explained ? <BootTab data={data} /> : missing),
    events: () => <EventsTab name={name} now={now} />,
    compare: () => (
      <CompareTab
        name={name}
        data={data}
        other={other}
        onChoose={(chosen) => setQuery({ with: chosen, tab: "compare" })}
      />
    ),
  };
  return (
    <>
      <AnswerLine
        view="Node"
        answer={answer}
        actions={
          <>
            <CopyCommand command={`attune explain node ${name}`} />
            <Button variant="secondary" onClick={() => show("compare")}>
              Compare
            </Button>
            <WriteButton
              action={data.row?.virtual ? "read values of virtual nodes" : "read values of nodes"}
              variant="secondary"
              isLoading={reading.state.type === "busy"}
              isDisabled={!explained || reading.state.type === "busy"}
              onClick={() => {
                reading.read();
                show("settings");
              }}
            >
              Read now
            </WriteButton>
          </>
        }
      />
      <Announcer text={answer} />
      {explained ? <SourceProblems sources={problems} what={what} /> : undefined}
      {isNarrow ? (
        <details className="attune-node-about">
          <summary>About this node</summary>
          <NodeFacts data={data} now={now} />
        </details>
      ) : (
        <NodeFacts data={data} now={now} />
      )}
      <Tabs
        activeKey={tab}
        onSelect={(_, key) => show(key as TabName)}
        aria-label={`Node ${name}`}
        mountOnEnter
        unmountOnExit
        className="attune-node-tabs"
      >
        {tabs.map((one) => (
          <Tab key={one} id="node" eventKey={one} title={<TabTitleText>{titles[one]}</TabTitleText>}>
            {one === tab ? panels[one]() : undefined}
          </Tab>
        ))}
      </Tabs>
    </>
  );
}

/** Why there is no explanation: something that it is made of cannot be read. */
function Unexplained({ sources }: { readonly sources: ReadonlyMap<string, Source> }) {
  for (const [kind, source] of sources) {
    if (source.state !== "denied") continue;
    const others = new Map([...sources].filter(([other]) => other !== kind && !other.startsWith("this ")));
    return (
      <>
        <Forbidden rule={source.rule} what={what[kind as keyof typeof what] ?? kind} />
        <SourceProblems sources={others} what={what} />
      </>
    );
  }
  return <SourceProblems sources={sources} what={what} />;
}

/** Ages are shown to the minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
