import { Alert } from "@patternfly/react-core";
import type { HardwareExplanation } from "../../../src/domain/node-tuning/explain/hardware.ts";
import { describeProbe } from "../../../src/language/tuned/probe.ts";
import { StateLabel } from "../fleet/state-label.tsx";
import { ageText } from "../parts/since.ts";
import type { NodeData } from "./node-data.ts";

/** What there is to know about a node beside its settings, and what is in their way. */
export function NodeFacts({ data, now }: { readonly data: NodeData; readonly now: number }) {
  const { row, about, rules } = data;
  if (!row) return undefined;
  const chosen = rules?.rules.find(({ outcome }) => outcome === "chosen");
  const { machineConfig, hardware, deferred } = about ?? {};
  const facts = [
    [
      "Pool",
      [row.pool || "none", row.cordoned ? "cordoned" : "", row.ready ? "" : "not ready"].filter(Boolean).join(", "),
    ],
    [
      "Profile",
      row.profile === row.inForce ? row.profile : `${row.profile || "none"}; in force: ${row.inForce || "none"}`,
    ],
    ["Because", chosen && `Tuned ${chosen.tuned}, priority ${chosen.priority}: ${chosen.because}`],
    [
      "Config",
      machineConfig &&
        (machineConfig.current === machineConfig.desired
          ? machineConfig.current
          : `${machineConfig.current || "none"}, gets ${machineConfig.desired || "none"}`),
    ],
    ["Hardware", hardware && hardwareText(hardware)],
    ["Deferred", deferred && `${deferred}: changes wait for the next restart`],
    ["Performance", about?.performanceProfiles?.map(({ name, state }) => `${name} is ${state}`).join(", ")],
  ] as const;
  const found = notes(data);
  return (
    <>
      <dl className="attune-node-facts">
        <div>
          <dt>State</dt>
          <dd>
            <StateLabel state={row.state} /> {row.since === undefined ? "" : ageText(row.since, now)}
          </dd>
        </div>
        {facts.map(([term, text]) =>
          text ? (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ) : undefined,
        )}
      </dl>
      {found.length === 0 ? undefined : (
        <div className="attune-node-notes">
          {found.map(({ text, variant }) => (
            <Alert key={text} isInline isPlain component="p" variant={variant} title={text} />
          ))}
        </div>
      )}
    </>
  );
}

/** `amd64, 2 sockets, 32 cores, 64 CPUs` */
function hardwareText({ architecture, sockets, cores, threads }: HardwareExplanation): string {
  const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
  const counts = [counted(sockets, "socket"), counted(cores, "core"), counted(threads, "CPU")];
  return [...(architecture === undefined ? [] : [architecture]), ...counts].join(", ");
}

interface Note {
  readonly text: string;
  readonly variant: "danger" | "warning" | "info";
}

/** What keeps the node from having what it should have, the worst first. */
function notes({ row, about }: NodeData): Note[] {
  if (!about) return [];
  const {
    obstacles,
    notReady,
    machineConfig,
    waits = [],
    findings = [],
    warnings,
    unresolved,
    performanceProfiles,
  } = about;
  const texts: readonly (readonly [Note["variant"], readonly string[]])[] = [
    ["danger", obstacles],
    ["danger", row?.state === "Degraded" && row.because !== "" ? [row.because] : []],
    [
      "danger",
      (performanceProfiles ?? []).flatMap(({ name, state, message }) =>
        state === "degraded" ? [`PerformanceProfile ${name}: ${message}`] : [],
      ),
    ],
    ["warning", notReady ? ["The node is not ready: what its agent reported may be out of date."] : []],
    ["warning", machineConfig?.reason ? [machineConfig.reason] : []],
    ["warning", waits],
    ["warning", warnings],
    ["info", findings],
    ["info", unresolved.map((probe) => `Not known without the node: ${describeProbe(probe)}`)],
  ];
  const shown = new Set<string>();
  return texts.flatMap(([variant, list]) =>
    list.filter((text) => !shown.has(text) && shown.add(text)).map((text) => ({ text, variant })),
  );
}
