import { Checkbox, FormGroup, FormSelect, FormSelectOption, Radio } from "@patternfly/react-core";
import type { PerformanceProfile, PerformanceProfileSpec } from "../../../src/domain/performance-profile/api.ts";
import type { DraftProps } from "./draft.ts";
import { Findings, findingsAt } from "./findings-at.tsx";

const powers = [
  { value: "default", title: "Default", realTime: false, highPowerConsumption: false },
  { value: "low-latency", title: "Low latency", realTime: true, highPowerConsumption: false },
  { value: "ultra-low-latency", title: "Lowest latency, most power", realTime: true, highPowerConsumption: true },
] as const;
const policies = ["none", "best-effort", "restricted", "single-numa-node"];

/** Kernel, power, topology and network. */
export function HintFields({ draft, onChange, findings, onFix }: DraftProps) {
  const { realTimeKernel, workloadHints = {}, numa, net, globallyDisableIrqLoadBalancing } = draft.spec ?? {};
  const {
    realTime = true,
    highPowerConsumption = false,
    perPodPowerManagement = false,
    mixedCpus = false,
  } = workloadHints;
  const power = highPowerConsumption ? powers[2] : realTime ? powers[1] : powers[0];
  const hints = (changed: PerformanceProfileSpec["workloadHints"]): void =>
    onChange(withSpec(draft, { workloadHints: { ...workloadHints, ...changed } }));
  const at = (...fields: string[]) => <Findings findings={findingsAt(findings, ...fields)} onFix={onFix} />;
  return (
    <>
      <FormGroup label="Kernel" role="radiogroup" fieldId="design-kernel" isInline>
        {[false, true].map((enabled) => (
          <Radio
            key={String(enabled)}
            id={`design-kernel-${enabled}`}
            name="design-kernel"
            label={enabled ? "Real-time" : "Standard"}
            isChecked={(realTimeKernel?.enabled ?? false) === enabled}
            onChange={() => onChange(withSpec(draft, { realTimeKernel: { enabled } }))}
          />
        ))}
      </FormGroup>
      {at("spec.realTimeKernel", "spec.kernelPageSize", "spec.additionalKernelArgs")}
      <FormGroup label="Power" fieldId="design-power">
        <FormSelect
          id="design-power"
          value={power.value}
          onChange={(_, value) => {
            const chosen = powers.find((one) => one.value === value) ?? powers[0];
            hints({ realTime: chosen.realTime, highPowerConsumption: chosen.highPowerConsumption });
          }}
        >
          {powers.map(({ value, title }) => (
            <FormSelectOption key={value} value={value} label={title} />
          ))}
        </FormSelect>
      </FormGroup>
      <FormGroup label="Topology policy" fieldId="design-policy">
        <FormSelect
          id="design-policy"
          value={numa?.topologyPolicy ?? "best-effort"}
          onChange={(_, topologyPolicy) => onChange(withSpec(draft, { numa: { topologyPolicy } }))}
        >
          {policies.map((value) => (
            <FormSelectOption key={value} value={value} label={value} />
          ))}
        </FormSelect>
        {at("spec.numa")}
      </FormGroup>
      <div className="design-checks">
        <Checkbox
          id="design-per-pod"
          label="Power management per pod"
          isChecked={perPodPowerManagement}
          onChange={(_, checked) => hints({ perPodPowerManagement: checked })}
        />
        <Checkbox
          id="design-mixed"
          label="Pods may use shared CPUs too"
          isChecked={mixedCpus}
          onChange={(_, checked) => hints({ mixedCpus: checked })}
        />
        <Checkbox
          id="design-irq"
          label="No interrupts on isolated CPUs"
          isChecked={globallyDisableIrqLoadBalancing ?? false}
          onChange={(_, checked) => onChange(withSpec(draft, { globallyDisableIrqLoadBalancing: checked }))}
        />
        <Checkbox
          id="design-net"
          label="Network queues on reserved CPUs"
          isChecked={net?.userLevelNetworking ?? false}
          onChange={(_, checked) => onChange(withSpec(draft, { net: { ...net, userLevelNetworking: checked } }))}
        />
      </div>
      {at("spec.workloadHints", "spec.net", "spec.globallyDisableIrqLoadBalancing", "spec.hardwareTuning")}
    </>
  );
}

export function withSpec(profile: PerformanceProfile, changed: PerformanceProfileSpec): PerformanceProfile {
  return { ...profile, spec: { ...profile.spec, ...changed } };
}
