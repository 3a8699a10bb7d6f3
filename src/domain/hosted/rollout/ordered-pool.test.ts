import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { filesOf } from "../../../language/ignition/config.ts";
import { contentsOf, textFile } from "../../../language/ignition/file-contents.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { manifestsText } from "../envelope/write-manifests.ts";
import { packText } from "../handover/packed-text.ts";
import type { PoolOrder } from "../handover/pool-order.ts";
import { orderedSources } from "./ordered-pool.ts";

function ordered(...objects: KubeObject[]): { files: Record<string, string | undefined>; problems: string[] } {
  const order: PoolOrder = {
    nodePool: { namespace: "clusters", name: "np1", generation: 1 },
    upgradeType: "InPlace",
    maxUnavailable: 1,
    paused: false,
    target: { full: "0123456789abcdef", withoutVersion: "fedcba9876543210", version: "4.22.0" },
    payload: packText(manifestsText(objects), (bytes) => gzipSync(bytes)),
  };
  const { sources, problems } = orderedSources(order, "test");
  const files = sources.flatMap(({ metadata, spec }) =>
    filesOf(spec?.config).map((file) => [`${metadata.name} ${file.path}`, contentsOf(file)]),
  );
  return {
    files: Object.fromEntries(files) as Record<string, string | undefined>,
    problems: problems.map(({ object, field, message }) => `${object.kind} ${object.name}: ${field}: ${message}`),
  };
}

const mirrors = (name: string, ...imageDigestMirrors: object[]): KubeObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  metadata: { name },
  spec: { imageDigestMirrors },
});

const registries = (name: string, text: string): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name },
  spec: {
    config: {
      ignition: { version: "3.2.0" },
      storage: { files: [textFile("/etc/containers/registries.conf", 0o644, text)] },
    },
  },
});

describe("policies of images in an order", () => {
  it("become one MachineConfig, with what another one says of the same file", () => {
    const { files, problems } = ordered(
      registries("50-search", 'unqualified-search-registries = ["r.example"]\n'),
      mirrors("a", { source: "q.example/team", mirrors: ["m.example/team"] }),
    );
    expect(problems).toEqual([]);
    expect(files["99-np1-generated-registries /etc/containers/registries.conf"]).toBe(
      [
        'unqualified-search-registries = ["r.example"]',
        "",
        "[[registry]]",
        'location = "q.example/team"',
        "",
        "[[registry.mirror]]",
        'location = "m.example/team"',
        'pull-from-mirror = "digest-only"',
        "",
      ].join("\n"),
    );
  });

  it("are a problem where a MachineConfig with a later name would replace their file", () => {
    const { problems } = ordered(registries("99-z", ""), mirrors("a", { source: "q.example", mirrors: ["m.example"] }));
    expect(problems).toEqual([
      "MachineConfig 99-z: metadata.name: /etc/containers/registries.conf would replace what policies of images give: choose a name before 99-np1-generated-registries",
    ]);
  });

  it("that contradict each other are a problem that names both", () => {
    const source = "q.example";
    const { problems, files } = ordered(
      mirrors("a", { source, mirrors: ["m.example"], mirrorSourcePolicy: "NeverContactSource" }),
      mirrors("b", { source, mirrors: ["n.example"], mirrorSourcePolicy: "AllowContactingSource" }),
    );
    expect(files).toEqual({});
    expect(problems).toEqual([
      'ImageDigestMirrorSet b: spec.imageDigestMirrors[0].mirrorSourcePolicy: Invalid value: "AllowContactingSource": ImageDigestMirrorSet a says NeverContactSource about q.example: let both say the same',
    ]);
  });
});
