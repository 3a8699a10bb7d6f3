import { Title } from "@patternfly/react-core";
import { parseCpuList } from "../../../src/language/cpu/cpu-list.ts";
import type { ContainerRow } from "../../protocol/workloads.ts";
import { Choice } from "../parts/choice.tsx";
import { Loading, SourceProblems } from "../parts/states.tsx";
import { useQuery } from "../parts/use-query.ts";
import { useTopic } from "../stream/use-topic.ts";

const what = { Pod: "the pods", Node: "the nodes", PerformanceProfile: "reserved CPUs" };

/** On which CPUs the containers of the platform run, node by node. */
export function Containers({ nodes }: { readonly nodes: readonly string[] }) {
  const { query, setQuery } = useQuery();
  const asked = query.get("node") ?? "";
  const node = nodes.includes(asked) ? asked : (nodes[0] ?? "");
  return (
    <section aria-labelledby="partitioning-containers" className="partitioning-containers">
      <div className="partitioning-head">
        <Title headingLevel="h2" size="lg" id="partitioning-containers">
          Containers of the platform on
        </Title>
        <Choice
          label="Node"
          value={node}
          options={nodes.map((name) => ({ value: name, text: name }))}
          onChange={(name) => setQuery({ node: name })}
        />
      </div>
      <OnNode key={node} node={node} />
    </section>
  );
}

function OnNode({ node }: { readonly node: string }) {
  const { isLoaded, rows, sources } = useTopic(`containers/${node}` as "containers/");
  if (!isLoaded) return <Loading label="Loading the containers" rows={3} />;
  const all = [...rows.values()].toSorted((a, b) => (`${a.pod} ${a.container}` < `${b.pod} ${b.container}` ? -1 : 1));
  const [first] = all;
  return (
    <>
      <SourceProblems sources={sources} what={what} />
      {first && first.of > 0 ? <Axis of={first.of} /> : undefined}
      <ul className="partitioning-bars" aria-label={`Containers on ${node}`}>
        {all.map((row) => (
          <Bar key={`${row.pod}/${row.container}`} row={row} />
        ))}
      </ul>
      {first === undefined ? <p>No container of the platform runs there.</p> : undefined}
      {first && first.from !== "" ? <p className="attune-note">Reserved CPUs as {first.from} says.</p> : undefined}
    </>
  );
}

/** Four marks are enough to count from. */
function Axis({ of }: { readonly of: number }) {
  const marks = [0, 1, 2, 3]
    .map((at) => Math.floor((of * at) / 4))
    .filter((at, index, all) => all.indexOf(at) === index);
  return (
    <div className="partitioning-row" aria-hidden="true">
      <span>CPU</span>
      <span className="partitioning-axis">
        {marks.map((cpu) => (
          <span key={cpu} style={{ insetInlineStart: `${(cpu / of) * 100}%` }}>
            {cpu}
          </span>
        ))}
      </span>
    </div>
  );
}

function Bar({ row: { pod, container, cpu, cpus, of } }: { readonly row: ContainerRow }) {
  const ranges = rangesOf(cpus);
  return (
    <li className="partitioning-row">
      <span className="partitioning-text">
        {pod}/{container} <span className="attune-note">asks for {cpu}</span>
      </span>
      <span className="partitioning-cpus">
        <code>{cpus === "" ? "CPUs are not known" : cpus}</code>
        {ranges.length === 0 || of === 0 ? undefined : (
          <span className="partitioning-track" aria-hidden="true">
            {ranges.map(({ from, to }) => (
              <span
                key={from}
                className="partitioning-bar"
                style={{ insetInlineStart: `${(from / of) * 100}%`, inlineSize: `${((to - from + 1) / of) * 100}%` }}
              />
            ))}
          </span>
        )}
      </span>
    </li>
  );
}

function rangesOf(text: string): { from: number; to: number }[] {
  const list = parseCpuList(text);
  if (list.type !== "cpus") return [];
  const ranges: { from: number; to: number }[] = [];
  for (const cpu of list.cpus) {
    const last = ranges.at(-1);
    if (last && last.to === cpu - 1) last.to = cpu;
    else ranges.push({ from: cpu, to: cpu });
  }
  return ranges;
}
