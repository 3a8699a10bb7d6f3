import { Button, FormGroup, TextInput } from "@patternfly/react-core";
import { useMemo, useState } from "react";
import { cpuSet } from "../../../src/language/cpu/cpu-set.ts";
import type { CpuTopology } from "../../../src/language/cpu/cpu-topology.ts";
import { CpuMap } from "../cpu-map/cpu-map.tsx";
import { type ProfileRole, profileRoles, roles } from "../cpu-map/roles.ts";
import { nothingSelected } from "../cpu-map/selection.ts";
import { setsOf, withAssigned } from "./cpu-fields.ts";
import type { Draft, DraftProps } from "./draft.ts";
import { Findings, findingsAt } from "./findings-at.tsx";
import { cpusOfFinding } from "./fixes.ts";

interface CpuEditorProps extends DraftProps {
  readonly history: Pick<Draft, "undo" | "redo" | "canUndo" | "canRedo">;
  readonly topology: CpuTopology;
  readonly assumed: boolean;
  readonly label: string;
}

/** The map, buttons and keys that assign what is selected, and the same sets as texts. */
export function CpuEditor({ draft, onChange, findings, onFix, history, topology, assumed, label }: CpuEditorProps) {
  const [selection, setSelection] = useState(nothingSelected);
  const sets = useMemo(() => setsOf(draft), [draft]);
  const marked = useMemo(
    () => cpuSet(findings.flatMap((finding) => cpusOfFinding(finding, { profile: draft, topology }))),
    [findings, draft, topology],
  );
  const assign = (role: ProfileRole | undefined): void => {
    if (selection.cpus.size > 0) onChange(withAssigned(draft, cpuSet(selection.cpus), role));
  };
  const count = selection.cpus.size;
  return (
    <>
      <div role="toolbar" aria-label="Assign the selected CPUs" className="design-assign">
        <span className="design-count" aria-live="polite">
          {count === 0 ? "Select cores, then assign them" : `${count} CPUs selected`}
        </span>
        {profileRoles.map((role) => (
          <Button key={role} variant="secondary" size="sm" isDisabled={count === 0} onClick={() => assign(role)}>
            {roles[role].title} <kbd>{roles[role].key}</kbd>
          </Button>
        ))}
        <Button variant="secondary" size="sm" isDisabled={count === 0} onClick={() => assign(undefined)}>
          No set <kbd>x</kbd>
        </Button>
        <Button variant="secondary" size="sm" isDisabled={!history.canUndo} onClick={history.undo}>
          Undo
        </Button>
        <Button variant="secondary" size="sm" isDisabled={!history.canRedo} onClick={history.redo}>
          Redo
        </Button>
      </div>
      <CpuMap
        label={label}
        topology={topology}
        sets={sets}
        marked={marked}
        assumed={assumed}
        describe={(cpu) =>
          findings
            .filter((finding) => cpusOfFinding(finding, { profile: draft, topology }).includes(cpu))
            .map(({ name, message }) => `${name}: ${message}`)
        }
        editing={{
          selection,
          onSelect: setSelection,
          onAssign: assign,
          onUndo: history.undo,
          onRedo: history.redo,
        }}
      />
      <div className="design-cpus">
        {profileRoles.map((role) => {
          const found = findingsAt(findings, `spec.cpu.${role}`);
          return (
            <FormGroup key={role} label={roles[role].title} fieldId={`design-cpu-${role}`}>
              <TextInput
                id={`design-cpu-${role}`}
                className="design-mono"
                value={draft.spec?.cpu?.[role] ?? ""}
                placeholder="0-3,64-67"
                validated={found.some(({ severity }) => severity === "error") ? "error" : "default"}
                onChange={(_, value) => {
                  const { [role]: _old, ...cpu } = draft.spec?.cpu ?? {};
                  const next = value === "" ? cpu : { ...cpu, [role]: value };
                  onChange({ ...draft, spec: { ...draft.spec, cpu: next } });
                }}
              />
              <Findings findings={found} onFix={onFix} />
            </FormGroup>
          );
        })}
      </div>
      <Findings findings={findings.filter(({ field }) => field === "spec.cpu")} onFix={onFix} />
    </>
  );
}
