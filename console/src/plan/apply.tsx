import { Alert, FormGroup, TextInput } from "@patternfly/react-core";
import { useState } from "react";
import type { ApplyAnswer, ApplyRequest, PlanFile } from "../../protocol/answers.ts";
import { WriteButton } from "../parts/states.tsx";
import { request } from "../session/request.ts";
import type { Planned } from "./plan-document.tsx";

interface ApplyProps {
  readonly planned: Planned;
  readonly files: readonly PlanFile[];
  readonly action: "write tuneds" | "write profiles" | "write machine configs";
  readonly cluster: string | undefined;
  readonly onApplied: (answer: Extract<ApplyAnswer, { type: "applied" }>) => void;
  /** The cluster has changed, and with it the plan: a new one is shown. */
  readonly onChanged: (answer: Extract<ApplyAnswer, { type: "changed" }>["answer"]) => void;
}

/** Writes what was planned. Where nodes would reboot, their number must be typed. */
export function Apply({ planned, files, action, cluster, onApplied, onChanged }: ApplyProps) {
  const [typed, setTyped] = useState("");
  const [state, setState] = useState<{ busy: boolean; problems: readonly string[] }>({ busy: false, problems: [] });
  const { reboots, digest, plan } = planned;
  const mustType = reboots.length > 0;
  const objects = plan.objects.filter(({ derived }) => !derived).length;
  const apply = async (): Promise<void> => {
    setState({ busy: true, problems: [] });
    try {
      const body: ApplyRequest = { cluster, files, digest };
      const answer = await request<ApplyAnswer>("apply", body);
      setState({ busy: false, problems: answer.type === "refused" ? answer.problems.map(({ text }) => text) : [] });
      if (answer.type === "changed") {
        setTyped("");
        setState({
          busy: false,
          problems: ["The cluster has changed since: nothing was written. This is the plan now."],
        });
        onChanged(answer.answer);
      } else if (answer.type === "applied") {
        const failed = answer.objects.filter(({ error }) => error !== undefined);
        setState({ busy: false, problems: failed.map(({ kind, name, error }) => `${kind} ${name}: ${error}`) });
        if (failed.length === 0) onApplied(answer);
      }
    } catch (error) {
      // In the words of the server.
      setState({ busy: false, problems: [error instanceof Error ? error.message : String(error)] });
    }
  };
  const hasErrors = plan.findings.some(({ severity }) => severity === "error");
  return (
    <div className="plan-apply">
      {state.problems.map((problem) => (
        <Alert component="p" key={problem} isInline variant="danger" title="Not applied">
          {problem}
        </Alert>
      ))}
      {mustType ? (
        <FormGroup
          label={`${reboots.length} ${reboots.length === 1 ? "node reboots" : "nodes reboot"}: type ${reboots.length} to go on`}
          fieldId="plan-reboots"
        >
          <TextInput id="plan-reboots" value={typed} onChange={(_, value) => setTyped(value)} inputMode="numeric" />
        </FormGroup>
      ) : null}
      <WriteButton
        action={action}
        onClick={() => void apply()}
        isLoading={state.busy}
        isDisabled={state.busy || hasErrors || (mustType && typed !== String(reboots.length))}
      >
        Apply {objects}
      </WriteButton>
    </div>
  );
}
