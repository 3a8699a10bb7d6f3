import type { KubeObject } from "../../../language/object/meta.ts";
import type { Plan } from "../../../language/object/plan.ts";
import { formatFinding, type ObjectFinding } from "../../finding.ts";
import { type ScyllaNodeConfig, type ScyllaNodeConfigStatus, scyllaNodeConfigKind } from "../../scylla/api.ts";
import { configFindings } from "../../scylla/config/findings.ts";
import { isEnabled, selectsNode } from "../../scylla/placement.ts";
import type { ScyllaSide } from "./scylla-side.ts";

/** What the author of ScyllaNodeConfigs and ScyllaOperatorConfigs should know. */
export function scyllaFindings(written: readonly KubeObject[], before: ScyllaSide, after: ScyllaSide): ObjectFinding[] {
  const names = written.filter(isNodeConfig).map(({ metadata }) => metadata.name ?? "");
  return [
    ...statusFindings(names, before.statuses, after.statuses),
    ...written.flatMap(ownFindings),
    ...idleFindings(
      after.configs.filter(({ metadata }) => names.includes(metadata.name ?? "")),
      after,
    ),
  ];
}

/** Problems that the operator would report: all of written configs, only the new ones of others. */
function statusFindings(
  written: readonly string[],
  before: Plan["statuses"],
  after: Plan["statuses"],
): ObjectFinding[] {
  const known = new Set(before.flatMap(reported).map((finding) => JSON.stringify(finding)));
  return after.flatMap((one) =>
    reported(one).filter(
      (finding) => written.includes(one.of.metadata.name ?? "") || !known.has(JSON.stringify(finding)),
    ),
  );
}

const severities: Readonly<Record<string, ObjectFinding["severity"]>> = { Degraded: "error", Overlapping: "warning" };

function reported({ of, status }: Plan["statuses"][number]): ObjectFinding[] {
  const { conditions = [] } = status as unknown as ScyllaNodeConfigStatus;
  return conditions.flatMap(({ type, status: value, message }) => {
    const severity = severities[type];
    if (!severity || value !== "True") return [];
    return message.split("\n").map((line) => ({ severity, about: `${of.kind} ${of.metadata.name}`, message: line }));
  });
}

/** The status of an enabled ScyllaNodeConfig reports them already. */
function ownFindings(object: KubeObject): ObjectFinding[] {
  if (isNodeConfig(object) && isEnabled(object)) return [];
  const about = `${object.kind} ${object.metadata.name}`;
  return configFindings(object).map((finding) => ({
    severity: finding.severity,
    about,
    message: formatFinding(finding),
  }));
}

function idleFindings(configs: readonly ScyllaNodeConfig[], { nodes }: ScyllaSide): ObjectFinding[] {
  return configs
    .filter(({ spec }) => ![...nodes.values()].some((node) => selectsNode(spec?.placement ?? {}, node)))
    .map(({ kind, metadata }) => ({ severity: "note", about: `${kind} ${metadata.name}`, message: "selects no node" }));
}

function isNodeConfig({ kind }: KubeObject): boolean {
  return kind === scyllaNodeConfigKind.kind;
}
