import { expect, it, onTestFinished } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { nodePoolKind } from "../../src/domain/node-pool/api.ts";
import { tunedKind } from "../../src/domain/node-tuning/api.ts";
import { controlPlane, twoClusters } from "./two-clusters.ts";

it("each of the two clusters has its own kinds, namespaces and objects", async () => {
  const clusters = await twoClusters();
  onTestFinished(() => clusters.close());
  const { management, hosted } = clusters;
  await expect(management.client.list(nodePoolKind)).resolves.toMatchObject({ items: [] });
  await expect(hosted.client.list(tunedKind)).resolves.toMatchObject({ items: [] });
  await expect(hosted.client.list(nodePoolKind)).rejects.toMatchObject({ code: 404 });
  await expect(hosted.client.get(kinds.namespace, controlPlane)).rejects.toMatchObject({ code: 404 });
});
