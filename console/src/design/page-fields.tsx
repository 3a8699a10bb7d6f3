import { Button, FormGroup, FormSelect, FormSelectOption, TextInput } from "@patternfly/react-core";
import PlusIcon from "@patternfly/react-icons/dist/esm/icons/plus-icon";
import TrashIcon from "@patternfly/react-icons/dist/esm/icons/trash-icon";
import type { HugePage, PerformanceProfileSpec } from "../../../src/domain/performance-profile/api.ts";
import type { CpuTopology } from "../../../src/language/cpu/cpu-topology.ts";
import type { DraftProps } from "./draft.ts";
import { Findings, findingsAt } from "./findings-at.tsx";

interface PageFieldsProps extends DraftProps {
  readonly topology: CpuTopology | undefined;
  readonly architecture: string;
}

const sizes: Readonly<Record<string, readonly string[]>> = { amd64: ["2M", "1G"], arm64: ["64k", "2M", "32M", "1G"] };

/** Huge pages: a row for each amount. */
export function PageFields({ draft, onChange, findings, onFix, topology, architecture }: PageFieldsProps) {
  const { hugepages } = draft.spec ?? {};
  const pages = hugepages?.pages ?? [];
  const change = (next: readonly HugePage[]): void => {
    const [first] = next;
    const size = next.some((page) => page.size === hugepages?.defaultHugepagesSize)
      ? hugepages?.defaultHugepagesSize
      : first?.size;
    const changed = size === undefined ? undefined : { defaultHugepagesSize: size, pages: [...next] };
    const { hugepages: _, ...spec } = draft.spec ?? {};
    onChange({ ...draft, spec: changed ? { ...spec, hugepages: changed } : spec } satisfies {
      spec: PerformanceProfileSpec;
    });
  };
  const replace = (at: number, changed: HugePage): void =>
    change(pages.map((page, i) => (i === at ? { ...page, ...changed } : page)));
  const known = sizes[architecture] ?? sizes["amd64"] ?? [];
  return (
    <>
      {pages.map((page, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have no other name
        <div className="design-pages" key={at} role="group" aria-label={`Huge pages ${at + 1}`}>
          <FormGroup label="Size" fieldId={`design-size-${at}`}>
            <FormSelect id={`design-size-${at}`} value={page.size ?? ""} onChange={(_, size) => replace(at, { size })}>
              {known.map((size) => (
                <FormSelectOption key={size} value={size} label={size} />
              ))}
            </FormSelect>
          </FormGroup>
          <FormGroup label="Count" fieldId={`design-count-${at}`}>
            <TextInput
              id={`design-count-${at}`}
              type="number"
              min={0}
              value={page.count ?? 0}
              onChange={(_, count) => replace(at, { count: Number(count) })}
            />
          </FormGroup>
          <FormGroup label="NUMA node" fieldId={`design-node-${at}`}>
            <FormSelect
              id={`design-node-${at}`}
              value={page.node ?? ""}
              onChange={(_, node) => {
                const { node: _node, ...rest } = page;
                change(
                  pages.map((one, i) => (i === at ? (node === "" ? rest : { ...rest, node: Number(node) }) : one)),
                );
              }}
            >
              <FormSelectOption value="" label="All" />
              {(topology?.numaNodes ?? []).map(({ id }) => (
                <FormSelectOption key={id} value={id} label={String(id)} />
              ))}
            </FormSelect>
          </FormGroup>
          <Button
            variant="plain"
            aria-label={`Remove huge pages ${at + 1}`}
            icon={<TrashIcon />}
            onClick={() => change(pages.filter((_, i) => i !== at))}
          />
          <Findings findings={findingsAt(findings, `spec.hugepages.pages[${at}]`)} onFix={onFix} />
        </div>
      ))}
      <Button variant="link" isInline icon={<PlusIcon />} onClick={() => change([...pages, { size: "1G", count: 1 }])}>
        Add huge pages
      </Button>
      <Findings
        findings={findingsAt(findings, "spec.hugepages").filter(({ field }) => !/pages\[\d/.test(field))}
        onFix={onFix}
      />
    </>
  );
}
