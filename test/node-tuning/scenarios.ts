import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import type { Client } from "../../src/cluster/kube/client.ts";
import { machineConfigCrds } from "../../src/domain/machine-config/crds.ts";
import { tuningNamespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { clientFor } from "../servers/client-for.ts";
import { growingPause, untilEstablished } from "../servers/until.ts";
import { emptyServers, type ServerUnderTest } from "../servers/server-under-test.ts";
import { clusterOperatorDefinition } from "./cluster-operator-definition.ts";
import { differences } from "./compare.ts";
import { deviations } from "./deviations.ts";
import { type Observation, scenarios } from "./fixture.ts";
import { observe } from "./observe.ts";
import { World } from "./world.ts";

/** Observations in a row that must agree before a scenario counts as settled. */
const observations = 3;

/** The definitions of the other operator accept selectors that Kubernetes cannot parse. */
function withoutRules(definition: KubeObject): KubeObject {
  const { versions, ...spec } = definition["spec"] as { versions: object[] };
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } } };
  return { ...definition, spec: { ...spec, versions: versions.map((version) => ({ ...version, schema })) } };
}

/** Every scenario of a file, on every server. */
export function runScenarios(file: string): void {
  for (const variant of emptyServers())
    describe(`${file}, on the ${variant.name} server`, () => {
      let server: ServerUnderTest;
      let client: Client;
      let world: World;

      beforeAll(async () => {
        server = await variant.start();
        client = clientFor(server);
        const namespace = {
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: tuningNamespace, labels: { a: "b" } },
        };
        const definitions = [...nodeTuningCrds, ...machineConfigCrds.map(withoutRules), clusterOperatorDefinition];
        await applyManifests(client, [namespace, ...definitions]);
        await untilEstablished(client);
        world = new World(client);
      });
      beforeEach(() => world.clear());
      afterAll(async () => {
        await world?.end();
        await server?.close();
      });

      test.each(scenarios(file))("$id: $note", async ({ id, given, expect: first, steps = [] }) => {
        await world.begin(given);
        await settles(id, first);
        for (const [i, { change, expect: next }] of steps.entries()) {
          await world.apply(change);
          await settles(`${id}/${i + 1}`, next);
        }
      });

      async function settles(where: string, recorded: Observation): Promise<void> {
        const expected = { ...recorded, ...deviations[where]?.instead };
        let agreed = 0;
        let last: object = {};
        const deadline = Date.now() + timeoutMs;
        for (const pause = growingPause(); ; await pause()) {
          await world.tick();
          last = differences(await observe(client), expected);
          agreed = Object.keys(last).length === 0 ? agreed + 1 : 0;
          if (agreed === observations || Date.now() > deadline) break;
        }
        expect(last, where).toEqual({});
        if (where in deviations)
          expect(differences(await observe(client), recorded), `${where} deviates no more`).not.toEqual({});
      }
    });
}

/** Longer than any scenario takes. */
const timeoutMs = Number(process.env.SCENARIO_TIMEOUT_MS ?? 20_000);
