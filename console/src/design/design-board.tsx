import {
  Alert,
  Button,
  Card,
  CardBody,
  CardTitle,
  Form,
  FormGroup,
  FormSelect,
  FormSelectOption,
  TextInput,
} from "@patternfly/react-core";
import { useMemo, useState } from "react";
import { mostSevereFirst, type FieldFinding } from "../../../src/domain/finding.ts";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { onlineCpus } from "../../../src/language/cpu/cpu-topology.ts";
import { AnswerLine } from "../parts/answer-line.tsx";
import type { DesignCluster } from "./cluster-objects.ts";
import { CpuEditor } from "./cpu-editor.tsx";
import "./design.css";
import type { DomainClient } from "./domain-client.ts";
import { type DraftProps, useDraft } from "./draft.ts";
import { Findings } from "./findings-at.tsx";
import { fixOf } from "./fixes.ts";
import { hardwareOf, type TypedHardware, typedTopology } from "./hardware.ts";
import { HardwareForm } from "./hardware-form.tsx";
import { HintFields } from "./hint-fields.tsx";
import { NodePoolNotes } from "./node-pool-notes.tsx";
import { PageFields } from "./page-fields.tsx";
import { type CpuChoices, ProposalForm } from "./proposal-form.tsx";
import { Result } from "./result.tsx";
import { useForecast } from "./use-forecast.ts";
import { writtenOf } from "./written.ts";

export interface BoardProps {
  readonly client: DomainClient | undefined;
  readonly cluster: DesignCluster;
  readonly pool: string;
  readonly draftKey: string;
  readonly start: PerformanceProfile;
  /** It is in the cluster. */
  readonly isEdit: boolean;
  readonly onReview: (profile: PerformanceProfile) => void;
  /** The choice of pool and profile. */
  readonly chooser: React.ReactNode;
}

/** The map of so many CPUs is about as high as the first group of fields. */
const shortMap = 64;

const shownFields =
  /^(spec\.(cpu|realTimeKernel|kernelPageSize|additionalKernelArgs|numa|workloadHints|net|hugepages|hardwareTuning|globallyDisableIrqLoadBalancing)\b|metadata\.name\b)/;

/** Everything that makes a profile, beside what follows from it. */
export function DesignBoard(props: BoardProps) {
  const { client, cluster, pool, start, isEdit, onReview, chooser } = props;
  const history = useDraft(props.draftKey, start);
  const { draft, change } = history;
  const { forecast, isOld, problem } = useForecast(client, cluster, draft);
  const { designed } = cluster;
  const hardware = useMemo(() => hardwareOf(cluster.objects), [cluster]);
  const [typed, setTyped] = useState<TypedHardware>({ sockets: 2, cores: 16, threads: 2 });
  const [at, setAt] = useState(0);
  const [remarks, setRemarks] = useState<{ refused: boolean; remarks: readonly string[] }>({
    refused: false,
    remarks: [],
  });
  const layout = hardware.layouts[at] ?? hardware.layouts[0];
  const topology = useMemo(() => layout?.topology ?? typedTopology(typed), [layout, typed]);
  const findings = forecast?.findings ?? [];
  const onFix = (finding: FieldFinding): (() => void) | undefined => {
    const fixed = fixOf(finding, { profile: draft, topology });
    return fixed && (() => change(fixed));
  };
  const fields: DraftProps = { draft, onChange: change, findings, onFix };
  const propose = async (choices: CpuChoices): Promise<void> => {
    const proposal = await client?.call("propose", {
      pool,
      isNodePool: designed !== undefined,
      choices: fullChoices(draft, choices),
      assumed: layout ? undefined : topology,
    });
    if (proposal?.type === "refused") return setRemarks({ refused: true, remarks: proposal.reasons });
    if (!proposal) return;
    setRemarks({ refused: false, remarks: proposal.warnings });
    const { cpu, additionalKernelArgs } = proposal.profile.spec ?? {};
    const { additionalKernelArgs: old, ...kept } = draft.spec ?? {};
    const args = [...(old ?? []).filter((word) => word !== "nosmt"), ...(additionalKernelArgs ?? [])];
    change({
      ...draft,
      spec: { ...kept, ...(cpu ? { cpu } : {}), ...(args.length > 0 ? { additionalKernelArgs: args } : {}) },
    });
  };
  const yaml = (): string => writtenOf(draft, cluster.designed).kept;
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const nodes = hardware.nodes.length;
  return (
    <>
      <AnswerLine
        view="Design"
        answer={answerOf({
          draft,
          nodes,
          cpus: (layout ?? { present: [] }).present.length,
          reboots: forecast?.plan && forecast.reboots.length,
          errors,
          replaces: designed?.replaces === true,
        })}
        actions={
          <>
            {history.isChanged ? (
              <Button variant="link" onClick={history.startOver}>
                Start over
              </Button>
            ) : null}
            <Button variant="secondary" onClick={() => download(`${draft.metadata.name}.yaml`, yaml())}>
              Download
            </Button>
            <Button variant="secondary" onClick={() => void navigator.clipboard.writeText(yaml())}>
              Copy YAML
            </Button>
            <Button onClick={() => onReview(draft)} isDisabled={!forecast?.plan || errors > 0}>
              Review
            </Button>
          </>
        }
      />
      {problem ? (
        <Alert component="p" isInline variant="danger" title="The preview failed">
          {problem}
        </Alert>
      ) : null}
      <div className={onlineCpus(topology).length > shortMap ? "design-board tall" : "design-board"}>
        <Card component="section" aria-label="Pool and profile" isCompact>
          <CardTitle component="h2">1 Pool</CardTitle>
          <CardBody>
            <Form onSubmit={(event) => event.preventDefault()}>
              {chooser}
              <FormGroup label="Name of the profile" fieldId="design-name">
                <TextInput
                  id="design-name"
                  value={draft.metadata.name ?? ""}
                  {...(isEdit ? { readOnlyVariant: "default" as const } : {})}
                  onChange={(_, name) => change({ ...draft, metadata: { ...draft.metadata, name } })}
                />
                <Findings findings={findings.filter(({ field }) => field.startsWith("metadata.name"))} onFix={onFix} />
              </FormGroup>
              {hardware.layouts.length > 1 ? (
                <FormGroup label="Layout to draw" fieldId="design-layout">
                  <FormSelect id="design-layout" value={at} onChange={(_, value) => setAt(Number(value))}>
                    {hardware.layouts.map(({ nodes, present }, i) => (
                      <FormSelectOption
                        key={nodes.join()}
                        value={i}
                        label={`${present.length} CPUs, ${nodes.length} nodes: ${nodes.slice(0, 2).join(", ")}`}
                      />
                    ))}
                  </FormSelect>
                </FormGroup>
              ) : null}
              {layout ? null : <HardwareForm typed={typed} onChange={setTyped} />}
              <Findings
                findings={findings.filter(({ field }) => !shownFields.test(field)).toSorted(mostSevereFirst)}
                onFix={onFix}
              />
            </Form>
          </CardBody>
        </Card>
        <Card component="section" aria-label="CPUs" isCompact className="design-wide">
          <CardTitle component="h2">2 CPUs</CardTitle>
          <CardBody>
            <CpuEditor
              {...fields}
              history={history}
              topology={topology}
              assumed={!layout}
              label={`CPUs of a node of pool ${pool}`}
            />
          </CardBody>
        </Card>
        <Card component="section" aria-label="Start from a proposal" isCompact>
          <CardTitle component="h2">Proposal</CardTitle>
          <CardBody>
            <Form onSubmit={(event) => event.preventDefault()}>
              <ProposalForm onPropose={(choices) => void propose(choices)} {...remarks} />
            </Form>
          </CardBody>
        </Card>
        <Card component="section" aria-label="Hints" isCompact>
          <CardTitle component="h2">3 Hints</CardTitle>
          <CardBody>
            <Form onSubmit={(event) => event.preventDefault()}>
              <HintFields {...fields} />
            </Form>
          </CardBody>
        </Card>
        <Card component="section" aria-label="Huge pages" isCompact>
          <CardTitle component="h2">4 Huge pages</CardTitle>
          <CardBody>
            <Form onSubmit={(event) => event.preventDefault()}>
              <PageFields {...fields} topology={topology} architecture={hardware.architecture} />
            </Form>
          </CardBody>
        </Card>
        <Card component="section" aria-label="Result" isCompact className="design-wide">
          <CardTitle component="h2">5 Result</CardTitle>
          <CardBody>
            {designed ? <NodePoolNotes designed={designed} /> : null}
            {forecast?.notes.map(({ about, message }) => (
              <p key={message}>{`${about}: ${message}`}</p>
            ))}
            <Result forecast={forecast} isOld={isOld} nodes={nodes} />
          </CardBody>
        </Card>
      </div>
    </>
  );
}

interface AnswerInput {
  draft: PerformanceProfile;
  nodes: number;
  cpus: number;
  reboots: number | undefined;
  errors: number;
  /** New nodes take the place of those that would reboot. */
  replaces: boolean;
}

function answerOf({ draft, nodes, cpus, reboots, errors, replaces }: AnswerInput): string {
  const { name = "" } = draft.metadata;
  const machines = `${cpus === 0 ? "hardware unknown" : `${cpus} CPUs a node`}, ${nodes} ${nodes === 1 ? "node" : "nodes"}`;
  if (errors > 0) return `${name}: ${machines}; ${errors} ${errors === 1 ? "error" : "errors"} to correct`;
  if (reboots === undefined) return `${name}: ${machines}`;
  if (reboots === 0) return `${name}: ${machines}, none ${replaces ? "is replaced" : "reboots"}`;
  const verb = replaces ? (reboots === 1 ? "is replaced" : "are replaced") : reboots === 1 ? "reboots" : "reboot";
  return `${name}: ${machines}, ${reboots} ${verb}`;
}

/** What the draft says already counts; the questions are about its CPUs. */
export function fullChoices({ metadata, spec }: PerformanceProfile, choices: CpuChoices) {
  const { realTime = true, highPowerConsumption = false, perPodPowerManagement = false } = spec?.workloadHints ?? {};
  const policy = spec?.numa?.topologyPolicy;
  return {
    ...choices,
    profileName: metadata.name ?? "performance",
    realTimeKernel: spec?.realTimeKernel?.enabled ?? false,
    userLevelNetworking: spec?.net?.userLevelNetworking ?? false,
    powerMode: highPowerConsumption ? "ultra-low-latency" : realTime ? "low-latency" : "default",
    topologyPolicy: policy === "best-effort" || policy === "single-numa-node" ? policy : "restricted",
    perPodPowerManagement,
    explainHardwareTuning: false,
  } as const;
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
