import { Alert, Label } from "@patternfly/react-core";
import type { LabelVerdict, RuleVerdict } from "../../../src/domain/node-tuning/explain/rule.ts";
import { Empty } from "../parts/states.tsx";
import type { NodeData } from "./node-data.ts";

const outcomes = {
  chosen: { text: "chosen", status: "success" },
  tied: { text: "matches too, same priority", status: "warning" },
  "lower priority": { text: "matches, lower priority", status: undefined },
  "no match": { text: "no match", status: undefined },
  unusable: { text: "cannot be used", status: "danger" },
} as const satisfies Record<RuleVerdict["outcome"], { text: string; status: string | undefined }>;

/** Every rule in the order in which they are tried, with the labels of the node. */
export function RulesTab({ data: { rules } }: { readonly data: NodeData }) {
  if (!rules || rules.rules.length === 0)
    return <Empty title="No rules">Rules are for nodes with the label kubernetes.io/os=linux.</Empty>;
  // Boot arguments have a tab of their own.
  const problems = rules.tuneds.flatMap(({ name, conditions }) =>
    conditions.flatMap(({ type, status, message }) =>
      (status === "True" && message === "") || type === "BootArguments" ? [] : [{ name, type, status, message }],
    ),
  );
  return (
    <>
      {problems.length === 0 ? undefined : (
        <div className="attune-node-notes">
          {problems.map(({ name, type, status, message }) => (
            <Alert
              key={`${name} ${type}`}
              isInline
              isPlain
              component="p"
              variant={status === "True" ? "info" : "warning"}
              title={`Tuned ${name}, ${type} is ${status}${message === "" ? "" : `: ${message}`}`}
            />
          ))}
        </div>
      )}
      <ol className="attune-rules" aria-label="Rules, in the order in which they are tried">
        {rules.rules.map((rule) => (
          <Rule key={`${rule.tuned} ${rule.index}`} rule={rule} />
        ))}
      </ol>
    </>
  );
}

function Rule({ rule }: { readonly rule: RuleVerdict }) {
  const { tuned, index, profile, priority, outcome, because, match, pool } = rule;
  const { text, status } = outcomes[outcome];
  return (
    <li className={outcome === "chosen" ? "attune-rule attune-rule-chosen" : "attune-rule"}>
      <div className="attune-rule-head">
        <span className="attune-mono" title="Priority">
          {priority}
        </span>
        <span>
          Tuned <b>{tuned}</b>, rule {index}
        </span>
        <span>
          → <b>{profile}</b>
        </span>
        <Label isCompact variant="outline" {...(status ? { status } : {})}>
          {text}
        </Label>
      </div>
      <p className="attune-rule-because">{because}</p>
      {match ? <Matches match={match} /> : undefined}
      {pool ? (
        <p className="attune-note">
          Pools that take its MachineConfigs: {pool.selected.join(", ") || "none"}. Pools of the node:{" "}
          {pool.ofNode.join(", ") || "none"}.
        </p>
      ) : undefined}
    </li>
  );
}

/** The tree of a rule: one entry of a level is enough, together with one below it. */
function Matches({ match }: { readonly match: readonly LabelVerdict[] }) {
  return (
    <ul className="attune-matches">
      {match.map((one, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- entries have no other name
        <li key={at}>
          <span className={one.matches ? "attune-match" : "attune-no-match"}>
            <span aria-hidden="true">{one.matches ? "✓" : "✗"}</span>
            <span className="pf-v6-screen-reader">{one.matches ? "matches: " : "does not match: "}</span>{" "}
            <code>{labelOf(one)}</code>
          </span>{" "}
          <span className="attune-note">{foundText(one)}</span>
          {one.match ? <Matches match={one.match} /> : undefined}
        </li>
      ))}
    </ul>
  );
}

function labelOf({ label, value }: LabelVerdict): string {
  if (label === undefined) return "any label";
  return value === undefined ? label : `${label}=${value}`;
}

function foundText({ found, of, instead = [], label }: LabelVerdict): string {
  if (label === undefined) return "";
  const who = of === "pod" ? "a pod on the node" : "the node";
  if (found === "as wanted") return `${who} has it`;
  if (found === "missing") return of === "pod" ? "no pod on the node has it" : "the node does not have it";
  return `${who} has ${instead.map((value) => JSON.stringify(value)).join(", ")}`;
}
