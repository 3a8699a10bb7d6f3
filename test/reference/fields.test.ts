import { join } from "node:path";
import { expect, it } from "vitest";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { nodePoolCrds } from "../../src/domain/node-pool/crds.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { performanceProfileCrds } from "../../src/domain/performance-profile/crds.ts";
import { scyllaCrds } from "../../src/domain/scylla/config/crds.ts";
import { workloadPartitioningCrds } from "../../src/domain/workload-partitioning/crds.ts";
import { root } from "../architecture/imports.ts";
import { fieldSections } from "./field-rows.ts";

const introduction = `# Fields

Every field of the kinds that Attune reads and writes, from their CustomResourceDefinitions (\`attune crds\`; in a cluster
\`kubectl explain KIND.spec\`). What the conditions in a status say is in the page about each kind.

`;

const definitions = [
  ...nodeTuningCrds,
  ...performanceProfileCrds,
  ...machineConfigCrds,
  ...nodePoolCrds,
  ...workloadPartitioningCrds,
  ...scyllaCrds,
];

it("every field says what it means", () => {
  expect(fieldSections(definitions).match(/^.*\| {2}\|$/gm)).toBeNull();
});

it("docs/reference/fields.md lists every field of every kind (written anew by vitest -u)", async () => {
  await expect(`${introduction}${fieldSections(definitions)}`).toMatchFileSnapshot(
    join(root, "docs/reference/fields.md"),
  );
});
