import { expect, it } from "vitest";
import { apiErrorFromStatus, ApiError } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { patientClient } from "./patient-client.ts";

const unreachable = new ApiError({ code: 0, reason: "Unreachable", message: "connection refused" });
const status = (code: number): Error => apiErrorFromStatus({ kind: "Status", code }, { code });

/** A client whose server answers in turn; an error is thrown. The last answer is repeated. */
async function asked(...answers: (Error | "answer")[]): Promise<{ result: unknown; told: string[] }> {
  const clock = new VirtualClock();
  const told: string[] = [];
  const left = [...answers];
  const get = async (): Promise<unknown> => {
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const { signal } = new AbortController();
  const client = patientClient({ get } as unknown as Client, { clock, signal, waiting: (text) => told.push(text) });
  const result = (async () => {
    await client.get(kinds.node, "n");
    return client.get(kinds.node, "n");
  })().catch((error: unknown) => error);
  // Longer than its patience.
  for (let second = 0; second < 70; second++) await clock.advance(1000);
  return { result: await result, told };
}

const told = ["waiting for the API server, for at most 60 s"];

it.each<[string, (Error | "answer")[], unknown, string[]]>([
  ["restarts", ["answer", unreachable, status(503), status(429), "answer"], "answer", told],
  ["stays away", ["answer", unreachable], unreachable, told],
  ["never answered", [unreachable, "answer"], unreachable, []],
  ["refuses", ["answer", status(403), "answer"], status(403), []],
])("an API server that %s", async (_, answers, result, lines) => {
  expect(await asked(...answers)).toEqual({ result, told: lines });
});
