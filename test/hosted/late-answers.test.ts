import { expect, it } from "vitest";
import { hostedClusterKind, nodePoolKind } from "../../src/domain/node-pool/api.ts";
import type { KindRef } from "../../src/cluster/kube/client.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { DirectClient } from "../workloads/direct-client.ts";
import { ClockedClusters, users } from "./clocked-clusters.ts";

it("what is written to the status of a NodePool while the authority of its machines is read stays", async () => {
  const clusters = await ClockedClusters.open();
  let [waiting, letGo] = [0, (): void => {}];
  let gate = Promise.resolve();
  class Slow extends DirectClient {
    override async get<T extends KubeObject>(...args: Parameters<typeof DirectClient.prototype.get<T>>): Promise<T> {
      if (args[1] === "ignition-server-ca-cert") {
        waiting++;
        await gate;
      }
      return super.get(...args);
    }
  }
  const write = async <T extends KubeObject>(of: KindRef<T>, name: string, status: object): Promise<unknown> =>
    clusters.management.patch(of, name, { type: "merge", patch: { status } }, { ...users, subresource: "status" });
  await write(hostedClusterKind, "demo", { ignitionEndpoint: "ignition.example" });
  const side = clusters.startManagement({
    management: new Slow(clusters.servers.management),
    hosted: clusters.hosted,
  });
  await clusters.settle();
  gate = new Promise((resolve) => (letGo = resolve));
  waiting = 0;
  await clusters.tune("np1", 12);
  const isAsked = (): boolean => waiting > 0;
  while (!isAsked()) await clusters.clock.advance(100);
  await write(nodePoolKind, "np1", { version: "4.1.0" });
  await clusters.clock.advance(1000);
  letGo();
  await clusters.settle();
  const { status } = await clusters.management.get(nodePoolKind, "np1", users);
  expect(status?.version).toBe("4.1.0");
  await side.stop();
  clusters.close();
});
