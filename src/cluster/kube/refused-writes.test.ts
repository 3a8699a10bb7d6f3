import { expect, it } from "vitest";
import type { KubeObject } from "../../language/object/meta.ts";
import { VirtualClock } from "../runtime/testing/virtual-clock.ts";
import type { Client } from "./client.ts";
import { kinds } from "./kinds.ts";
import { RefusedWrites } from "./refused-writes.ts";

const object = (resourceVersion: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", resourceVersion },
});
const kind = kinds.configMap as never;

/** A server that answers every write with this. */
function answering(answer: KubeObject) {
  const refused = new RefusedWrites(new VirtualClock());
  const given = (): Promise<KubeObject> => Promise.resolve(answer);
  const client = refused.noting({ update: given, create: given } as unknown as Client);
  return { refused, client };
}

it("an update that the server does not keep fails, and counts until one is kept", async () => {
  const { refused, client } = answering(object("2"));
  let told = 0;
  refused.subscribe(() => told++);
  await expect(client.update(kind, object("2"))).rejects.toThrow("keeps something else");
  expect(refused.current()).toMatchObject([{ kind: "ConfigMap", name: "c" }]);
  expect(refused.current()[0]?.message).toMatch(/^update ConfigMap c: the server keeps something else/);
  await client.update(kind, object("1"));
  expect(refused.current()).toEqual([]);
  expect(told).toBe(2);
});

it("the answer to a create may be left unread", async () => {
  const { refused, client } = answering(object("2"));
  await client.create(kind, object("2"));
  expect(refused.current()).toEqual([]);
});
