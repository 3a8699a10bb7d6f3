import { afterEach, expect, test } from "vitest";
import { ApiError } from "../kube/api-error.ts";
import type { Client, KindRef } from "../kube/client.ts";
import type { KubeObject } from "../object/meta.ts";
import { VirtualClock } from "../runtime/virtual-clock.ts";
import { smallMachine } from "./machine.ts";
import { runVirtualNode } from "./virtual-node.ts";

let end = new AbortController();
afterEach(() => end.abort());

const codes: Record<string, number> = { AlreadyExists: 409, NotFound: 404 };

/** Notes each request; those in `refuse` fail once with the reason given. */
function recording(refuse: Record<string, string> = {}): { client: Client; requests: string[]; created: KubeObject[] } {
  const requests: string[] = [];
  const created: KubeObject[] = [];
  async function note(request: string): Promise<void> {
    requests.push(request);
    const reason = refuse[request];
    delete refuse[request];
    if (reason) throw new ApiError({ code: codes[reason] ?? 500, reason, message: reason });
  }
  const client = {
    async create(of: KindRef, object: KubeObject) {
      await note(`create ${of.plural}`);
      created.push(object);
      return object;
    },
    patch: (of: KindRef, _name: string, _patch: unknown, { subresource = "" }) =>
      note(`patch ${[of.plural, subresource].filter(Boolean).join("/")}`),
  } as unknown as Client;
  return { client, requests, created };
}

async function run(client: Client): Promise<VirtualClock> {
  end = new AbortController();
  const clock = new VirtualClock();
  const labels = { "example.com/x": "1" };
  void runVirtualNode({ client, name: "n", topology: smallMachine, labels, signal: end.signal, clock });
  await clock.advance(0);
  return clock;
}

test("a node registers as ready, and then only renews its lease", async () => {
  const { client, requests, created } = recording({ "patch leases": "NotFound" });
  const clock = await run(client);
  expect(requests).toEqual(["create nodes", "patch nodes/status", "patch leases", "create leases"]);
  expect(created[0]).toMatchObject({
    metadata: { name: "n", labels: { "kubernetes.io/os": "linux", "example.com/x": "1" } },
    status: { capacity: { cpu: "4", memory: "8192Mi" } },
  });
  await clock.advance(20_000);
  expect(requests.slice(4)).toEqual(["patch leases", "patch leases"]);
});

test("a node that is there already is taken over, and so is its lease", async () => {
  const { client, requests } = recording({ "create nodes": "AlreadyExists" });
  await run(client);
  expect(requests).toEqual(["create nodes", "patch nodes", "patch nodes/status", "patch leases"]);
});

test("a server that is away is asked again", async () => {
  const { client, requests } = recording({ "create nodes": "InternalError", "patch nodes/status": "InternalError" });
  const clock = await run(client);
  expect(requests).toEqual(["create nodes"]);
  await clock.advance(20_000);
  expect(requests.slice(1)).toEqual([
    "create nodes",
    "patch nodes/status",
    "create nodes",
    "patch nodes/status",
    "patch leases",
  ]);
});
