import { Alert, FormGroup, TextInput } from "@patternfly/react-core";
import { useEffect, useRef, useState } from "react";
import type { AppliedObject, ApplyAnswer, ApplyRequest, PlanFile } from "../../protocol/answers.ts";
import { WriteButton } from "../parts/states.tsx";
import { request } from "../session/request.ts";
import { PartlyApplied } from "./partly-applied.tsx";
import { nodePoolCounts } from "./node-pool-changes.tsx";
import type { Planned } from "./plan-document.tsx";
import type { PlanTarget } from "./use-plan.ts";

interface ApplyProps {
  readonly planned: Planned;
  readonly files: readonly PlanFile[];
  /** The right that it needs, where one tells: the plan is made with the rights of the user. */
  readonly action: "write tuneds" | "write profiles" | "write machine configs" | undefined;
  readonly target: PlanTarget;
  readonly onApplied: (answer: Extract<ApplyAnswer, { type: "applied" }>) => void;
  /** The cluster has changed, and with it the plan: a new one is shown. */
  readonly onChanged: (answer: Extract<ApplyAnswer, { type: "changed" }>["answer"]) => void;
  /** Plans again. */
  readonly onAgain: () => void;
}

interface ApplyState {
  readonly busy: boolean;
  /** Why nothing was written. */
  readonly problems: readonly string[];
  /** What became of each object, where some were not written. */
  readonly partly: readonly AppliedObject[];
}

const calm: ApplyState = { busy: false, problems: [], partly: [] };

/** Writes what was planned. Where nodes would reboot, their number must be typed. */
export function Apply({ planned, files, action, target, onApplied, onChanged, onAgain }: ApplyProps) {
  const [typed, setTyped] = useState("");
  const [state, setState] = useState<ApplyState>(calm);
  const { digest, plan } = planned;
  const inNodePools = nodePoolCounts(plan);
  const reboots = planned.reboots.length + inNodePools.reboots + inNodePools.replaced;
  const verb =
    inNodePools.replaced === 0 ? ["reboots", "reboot"] : ["reboots or is replaced", "reboot or are replaced"];
  const mustType = reboots > 0;
  const objects = plan.objects.filter(({ derived }) => !derived).length;
  const apply = async (): Promise<void> => {
    setState({ ...calm, busy: true });
    try {
      const body: ApplyRequest = { ...target, files, digest };
      const answer = await request<ApplyAnswer>("apply", body);
      if (answer.type === "refused") setState({ ...calm, problems: answer.problems.map(({ text }) => text) });
      else if (answer.type === "changed") {
        setTyped("");
        setState({ ...calm, problems: ["The cluster has changed since: nothing was written. This is the plan now."] });
        onChanged(answer.answer);
      } else if (answer.objects.some(({ error }) => error !== undefined)) setState({ ...calm, partly: answer.objects });
      else onApplied(answer);
    } catch (error) {
      // In the words of the server.
      setState({ ...calm, problems: [error instanceof Error ? error.message : String(error)] });
    }
  };
  const hasErrors = plan.findings.some(({ severity }) => severity === "error");
  return (
    <>
      <Outcome state={state} onAgain={onAgain} />
      <div className="plan-apply">
        {mustType ? (
          <FormGroup
            label={`${reboots} ${reboots === 1 ? `node ${verb[0]}` : `nodes ${verb[1]}`}: type ${reboots} to go on`}
            fieldId="plan-reboots"
          >
            <TextInput id="plan-reboots" value={typed} onChange={(_, value) => setTyped(value)} inputMode="numeric" />
          </FormGroup>
        ) : null}
        <WriteButton
          action={action}
          onClick={() => void apply()}
          isLoading={state.busy}
          isDisabled={state.busy || hasErrors || (mustType && typed !== String(reboots))}
        >
          Apply {objects}
        </WriteButton>
      </div>
    </>
  );
}

/** Comes into sight by itself: the button may be far from it. */
function Outcome({
  state: { problems, partly },
  onAgain,
}: {
  readonly state: ApplyState;
  readonly onAgain: () => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problems.length + partly.length > 0) element.current?.scrollIntoView({ block: "center" });
  }, [problems, partly]);
  return (
    <div ref={element}>
      {problems.map((problem) => (
        <Alert component="p" key={problem} isInline variant="danger" title="Not applied">
          {problem}
        </Alert>
      ))}
      {partly.length > 0 ? <PartlyApplied objects={partly} onAgain={onAgain} /> : null}
    </div>
  );
}
