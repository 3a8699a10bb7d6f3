import { expect, it } from "vitest";
import { CopyingBackend } from "../testing/copying-backend.ts";
import { SmallServer } from "../testing/small-server.ts";
import { bootstrap } from "./bootstrap.ts";

it("gives a new server its namespaces, roles and bindings", async () => {
  const server = new SmallServer();
  await bootstrap(server.services);
  expect(server.list("namespaces").names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
  expect(server.list("clusterroles").names).toContain("cluster-admin");
  expect(server.list("clusterrolebindings").names).toContain("cluster-admin");
});

it("changes nothing the second time, not even what a user has changed", async () => {
  const backend = new CopyingBackend();
  const first = new SmallServer({ backend });
  await bootstrap(first.services);
  await first.patch("clusterroles", { name: "view" }, { metadata: { labels: { mine: "yes" } } });
  await first.delete("clusterrolebindings", { name: "system:basic-user" });

  const second = new SmallServer({ backend: backend.reopened() });
  const { revision } = second.store;
  await bootstrap(second.services);
  expect(second.store.revision).toBe(revision + 1);
  expect(second.get("clusterroles", { name: "view" }).metadata.labels).toMatchObject({ mine: "yes" });
  expect(second.exists("clusterrolebindings", { name: "system:basic-user" })).toBe(true);
});
