import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isApiError } from "../../src/cluster/kube/api-error.ts";
import type { HttpClient } from "../../src/cluster/kube/http-client.ts";
import { type Tuned, tunedKind, tuningNamespace as namespace } from "../../src/domain/node-tuning/api.ts";
import { nodeTuningCrds } from "../../src/domain/node-tuning/crds.ts";
import { applyManifests } from "../../src/program/cli/install/apply-manifests.ts";
import { clientFor } from "../servers/client-for.ts";
import { serverVariants, type ServerUnderTest } from "../servers/server-under-test.ts";
import { untilEstablished } from "../servers/until.ts";

interface RecordedAnswer {
  readonly id: string;
  readonly spec: unknown;
  readonly expect: {
    readonly httpStatus: number;
    readonly reason?: string;
    readonly causes?: readonly { readonly field: string; readonly reason: string }[];
    readonly storedSpec?: unknown;
  };
}

const cases = parse(
  readFileSync(join(import.meta.dirname, "../fixtures/node-tuning/admission.yaml"), "utf8"),
) as RecordedAnswer[];

describe.each(serverVariants())("a Tuned on the $name server, with Attune's CRD", (variant) => {
  let server: ServerUnderTest;
  let client: HttpClient;

  beforeAll(async () => {
    server = await variant.start();
    client = clientFor(server);
    const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
    await applyManifests(client, [home, ...nodeTuningCrds]);
    await untilEstablished(client);
  });
  afterAll(() => server?.close());

  test.each(cases)("$id is answered as with the CRD of the Go operator", async ({ id, spec, expect: wanted }) => {
    const { apiVersion, kind } = tunedKind;
    const tuned = { apiVersion, kind, metadata: { name: id, namespace }, spec } as Tuned;
    const answer = await client.create(tunedKind, tuned, { namespace, dryRun: true }).catch((error: unknown) => {
      if (!isApiError(error)) throw error;
      return error;
    });
    if (!isApiError(answer)) {
      expect(wanted.httpStatus).toBe(201);
      expect(answer.spec).toEqual(wanted.storedSpec ?? spec);
      return;
    }
    const causes = answer.details?.causes?.map(({ field, reason }) => ({ field, reason }));
    expect({ httpStatus: answer.code, reason: answer.reason, causes }).toEqual({
      httpStatus: wanted.httpStatus,
      reason: wanted.reason,
      causes: wanted.causes,
    });
  });
});
