import { afterEach, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runClaimProtection } from "../../src/embedded/lab/workloads/claim-protection/claim-protection-controller.ts";
import { type Stage, staged } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const names = async (): Promise<unknown[]> =>
  (await stage.list(kinds.persistentVolumeClaim)).map(({ metadata }) => metadata.name);

it("a deleted claim loses its finalizer when no bound pod uses it any more", async () => {
  stage = await staged(runClaimProtection);
  for (const name of ["used", "unused", "wanted"])
    await stage.create(kinds.persistentVolumeClaim, { metadata: { name }, spec });
  const pod = (name: string, claimName: string, nodeName?: string): Parameters<typeof stage.create>[1] => ({
    metadata: { name },
    spec: {
      nodeName,
      containers: [{ name: "c", image: "one" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  });
  await stage.create(kinds.pod, pod("on-node", "used", "n"));
  await stage.create(kinds.pod, pod("waiting", "wanted"));
  for (const name of await names())
    await stage.client.delete(kinds.persistentVolumeClaim, String(name), { namespace: "default" });
  await stage.settle();
  expect(await names()).toEqual(["used"]);
  await stage.client.delete(kinds.pod, "on-node", { namespace: "default" });
  await stage.settle();
  expect(await names()).toEqual([]);
});
