import { Alert, Title } from "@patternfly/react-core";
import { count } from "../../../src/domain/fleet/fleet-summary.ts";
import type { ScyllaConfigRow } from "../../protocol/workloads.ts";

interface NodeConfigsProps {
  readonly configs: readonly { readonly name: string; readonly config: ScyllaConfigRow }[];
}

/** The ScyllaNodeConfigs, and what is wrong with each. */
export function NodeConfigs({ configs }: NodeConfigsProps) {
  if (configs.length === 0) return undefined;
  return (
    <section aria-labelledby="scylla-configs" className="scylla-configs">
      <Title headingLevel="h2" size="lg" id="scylla-configs">
        ScyllaNodeConfigs
      </Title>
      <ul>
        {configs.map(({ name, config: { engine, isDisabled, agents, isStale, problems } }) => (
          <li key={name}>
            <b>{name}</b>{" "}
            <span className="attune-note">
              engine {engine}, {isDisabled ? "optimizations are disabled" : agentsText(agents.ready, agents.desired)}
              {isStale ? ", as of an earlier state of its agents" : ""}
            </span>
            {problems.map(({ type, message }) => (
              <Alert
                component="p"
                key={type}
                isInline
                isPlain
                variant={type === "Progressing" ? "info" : "warning"}
                title={type}
                className="scylla-text"
              >
                {message}
              </Alert>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function agentsText(ready: number, desired: number): string {
  return `${count(ready)} of ${count(desired)} ${desired === 1 ? "agent" : "agents"} ready`;
}
