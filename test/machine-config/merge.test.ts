import { apiVersion } from "../../src/domain/machine-config/api.ts";
import { inMergeOrder, mergeSources } from "../../src/domain/machine-config/merge-sources.ts";
import { readSource } from "../../src/domain/machine-config/read-source.ts";
import { conflicts } from "../../src/domain/machine-config/refusals.ts";
import { FileDecoder } from "../../src/language/ignition/file-decoder.ts";
import { agreesWithRecorded, casesOf, machineConfigOf, type ShortMachineConfig } from "./parity.ts";

interface Recorded {
  id: string;
  machineConfigs: ShortMachineConfig[];
  expect: unknown;
}

const images = { osImageURL: "base-os-image", baseOSExtensionsContainerImage: "base-extensions-image" };
const pool = { apiVersion, kind: "MachineConfigPool", metadata: { name: "worker" } };

/** Left out of the recorded results. */
const defaults: Readonly<Record<string, unknown>> = { kernelType: "default", fips: false, ...images };
const refused = { refused: true };

function merged({ machineConfigs }: Recorded): unknown {
  const decoder = new FileDecoder();
  const sources = inMergeOrder(machineConfigs.map(machineConfigOf)).flatMap((machineConfig) => {
    const read = readSource(machineConfig.spec ?? {}, decoder);
    return read.type === "source" ? [{ machineConfig, source: read.source }] : [];
  });
  if (sources.length === 0 || sources.length < machineConfigs.length) return refused;
  const { document, ...fields } = mergeSources(sources, images);
  if (conflicts({ pool, images }, { document, ...fields }).length > 0) return refused;
  return Object.fromEntries(
    Object.entries({ ...fields, config: document }).filter(
      ([name, value]) => value !== defaults[name] && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

const withFile = (file: object): object => ({
  config: {
    ignition: { version: "3.5.0" },
    storage: { files: [{ path: "/etc/a", overwrite: true, mode: 420, ...file }] },
  },
});

/** machine-config W-5: `compression: ""` means nothing. machine-config W-6: pairs are replaced as one, append is refused. */
const ours = {
  "merge-file-single-compression-empty": withFile({ contents: { source: "data:,one" } }),
  "merge-file-owner-name-over-id": withFile({ contents: { source: "data:,two" }, user: { name: "core" } }),
  "merge-file-append-onto-contents": refused,
  "merge-file-verification": withFile({ contents: { source: "data:,two" } }),
};

agreesWithRecorded(casesOf<Recorded>("merge"), ours, merged);
