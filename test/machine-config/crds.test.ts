import { beforeAll, describe, expect, it } from "vitest";
import { isApiError } from "../../src/cluster/kube/api-error.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import {
  apiVersion,
  containerRuntimeConfigKind,
  kubeletConfigKind,
  machineConfigKind,
  machineConfigPoolKind,
} from "../../src/domain/machine-config/api.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import type { KindRef, KubeObject } from "../../src/language/object/meta.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { onEachServer } from "../conformance/on-each-server.ts";
import { ageless } from "../conformance/printed-table.ts";
import { clientFor } from "../servers/client-for.ts";

const runtime = (containerRuntimeConfig: object): object => ({ containerRuntimeConfig });
const expression = { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] };

const accepted: [KindRef, object][] = [
  [machineConfigKind, {}],
  [
    machineConfigKind,
    { kernelArguments: null, extensions: null, kernelType: "", config: { ignition: { version: "3.5.0" }, x: [1] } },
  ],
  [
    machineConfigKind,
    {
      kernelType: "64k-pages",
      fips: true,
      osImageURL: "",
      baseOSExtensionsContainerImage: "i",
      unknown: { kept: true },
    },
  ],
  [machineConfigPoolKind, { maxUnavailable: 3, paused: true, machineConfigSelector: expression, nodeSelector: null }],
  [
    machineConfigPoolKind,
    { maxUnavailable: "10%", pinnedImageSets: [{ name: "a" }], osImageStream: { name: "rhel-10" } },
  ],
  [
    machineConfigPoolKind,
    { maxUnavailable: "100%", machineConfigSelector: {}, nodeSelector: { matchLabels: { a: "" } } },
  ],
  [
    kubeletConfigKind,
    { logLevel: 10, autoSizingReserved: true, kubeletConfig: { maxPods: 100 }, tlsSecurityProfile: { type: "Old" } },
  ],
  [containerRuntimeConfigKind, runtime({ pidsLimit: 0, logSizeMax: "1Mi", overlaySize: 0, logLevel: "debug" })],
  [
    containerRuntimeConfigKind,
    runtime({ pidsLimit: 20, defaultRuntime: "runc", additionalLayerStores: [{ path: "/var/lib/a" }] }),
  ],
];

const refused: [KindRef, object, string][] = [
  [machineConfigKind, { kernelType: "fast" }, "spec.kernelType"],
  [machineConfigKind, { kernelArguments: "a=1" }, "spec.kernelArguments"],
  [machineConfigKind, { kernelArguments: [1] }, "spec.kernelArguments[0]"],
  [machineConfigKind, { config: "text" }, "spec.config"],
  [machineConfigKind, { fips: "true" }, "spec.fips"],
  [machineConfigPoolKind, { maxUnavailable: 0 }, "spec.maxUnavailable"],
  [machineConfigPoolKind, { maxUnavailable: -1 }, "spec.maxUnavailable"],
  [machineConfigPoolKind, { maxUnavailable: "-10%" }, "spec.maxUnavailable"],
  [machineConfigPoolKind, { maxUnavailable: "0%" }, "spec.maxUnavailable"],
  [machineConfigPoolKind, { maxUnavailable: "101%" }, "spec.maxUnavailable"],
  [machineConfigPoolKind, { maxUnavailable: "half" }, "spec.maxUnavailable"],
  [machineConfigPoolKind, { maxUnavailable: "3" }, "spec.maxUnavailable"],
  [
    machineConfigPoolKind,
    { nodeSelector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
    "spec.nodeSelector.matchExpressions[0].operator",
  ],
  [
    machineConfigPoolKind,
    { machineConfigSelector: { matchLabels: { a: 1 } } },
    "spec.machineConfigSelector.matchLabels.a",
  ],
  [kubeletConfigKind, { logLevel: 11 }, "spec.logLevel"],
  [kubeletConfigKind, { logLevel: -1 }, "spec.logLevel"],
  [containerRuntimeConfigKind, runtime({ pidsLimit: 19 }), "spec.containerRuntimeConfig.pidsLimit"],
  [containerRuntimeConfigKind, runtime({ logLevel: "loud" }), "spec.containerRuntimeConfig.logLevel"],
  [containerRuntimeConfigKind, runtime({ logSizeMax: "big" }), "spec.containerRuntimeConfig.logSizeMax"],
  [containerRuntimeConfigKind, runtime({ defaultRuntime: "kata" }), "spec.containerRuntimeConfig.defaultRuntime"],
  [
    containerRuntimeConfigKind,
    runtime({ additionalLayerStores: [{ path: "/a//b" }] }),
    "spec.containerRuntimeConfig.additionalLayerStores[0].path",
  ],
  [
    containerRuntimeConfigKind,
    runtime({ additionalLayerStores: Array.from({ length: 6 }, (_, i) => ({ path: `/a${i}` })) }),
    "spec.containerRuntimeConfig.additionalLayerStores",
  ],
];

onEachServer("the kinds of machine configuration", (cluster) => {
  let client: HttpClient;

  beforeAll(async () => {
    client = clientFor(cluster.server);
    await applyManifests(client, machineConfigCrds);
    const names = machineConfigCrds.map(({ metadata }) => `crd/${metadata.name}`).join(" ");
    await cluster.kubectl.out(`wait --for=condition=Established ${names} --timeout=30s`);
  });

  const create = (ref: KindRef, spec: object, dryRun = true): Promise<KubeObject> =>
    client.create(ref, { apiVersion, kind: ref.kind, metadata: { name: "one" }, spec }, { dryRun });

  describe("accept, and keep every field of", () => {
    it.each(accepted)("$kind %j", async (ref, spec) => {
      expect((await create(ref, spec))["spec"]).toEqual(spec);
    });
  });

  describe("refuse, with the field (machine-config W-18),", () => {
    it.each(refused)("$kind %j", async (ref, spec, field) => {
      const error: unknown = await create(ref, spec).catch((reason: unknown) => reason);
      expect(isApiError(error) && error.details?.causes?.map((cause) => cause.field)).toContain(field);
    });
  });

  it("are printed with their columns", async () => {
    await create(machineConfigKind, { config: { ignition: { version: "3.2.0" } } }, false);
    await create(machineConfigPoolKind, {}, false);
    const status = {
      configuration: { name: "rendered-one-1" },
      machineCount: 4,
      readyMachineCount: 2,
      updatedMachineCount: 3,
      degradedMachineCount: 1,
      conditions: ["Updated", "Updating", "Degraded"].map((type) => ({
        type,
        status: "True",
        lastTransitionTime: null,
      })),
    };
    await cluster.kubectl.out(`patch mcp one --subresource status --type merge -p ${JSON.stringify({ status })}`);
    expect(ageless(await cluster.kubectl.out("get mc"))).toEqual([
      ["NAME", "GENERATEDBYCONTROLLER", "IGNITIONVERSION", "AGE"],
      ["one", "3.2.0", "AGE"],
    ]);
    expect(ageless(await cluster.kubectl.out("get mcp"))).toEqual([
      [
        "NAME",
        "CONFIG",
        "UPDATED",
        "UPDATING",
        "DEGRADED",
        "MACHINECOUNT",
        "READYMACHINECOUNT",
        "UPDATEDMACHINECOUNT",
        "DEGRADEDMACHINECOUNT",
        "AGE",
      ],
      ["one", "rendered-one-1", "True", "True", "True", "4", "2", "3", "1", "AGE"],
    ]);
    await cluster.kubectl.prints("explain machineconfigpool.spec.maxUnavailable", /a positive number, or a/);
  });
});
