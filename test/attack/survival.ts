import { expect } from "vitest";
import type { Received } from "./client.ts";
import type { Victim } from "./victim.ts";

/** The server still works, has logged no failure, and Object.prototype is unchanged. */
export async function expectUnharmed({ admin, failures }: Victim): Promise<void> {
  expect(failures.splice(0), "failures that the server logged").toEqual([]);
  expect(Object.keys(Object.prototype), "keys of Object.prototype").toEqual([]);
  for (const name of ["polluted", "x", "0"]) expect(Object.hasOwn(Object.prototype, name)).toBe(false);
  expect((await admin.get("/readyz")).text).toBe("ok");
  const written = await admin.post("/api/v1/namespaces/default/configmaps?dryRun=All", { metadata: { name: "alive" } });
  expect(written.status).toBe(201);
}

/** A refusal is a Status with the code of the response. */
export function expectStatus(received: Received, code: number, reason?: string): void {
  expect({ code: received.status, text: received.text }).toMatchObject({ code });
  expect(received.headers["content-type"]).toMatch(/^application\/json/);
  expect(received.json).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code });
  expect(received.json.message).not.toBe("");
  if (reason !== undefined) expect(received.json.reason).toBe(reason);
}
