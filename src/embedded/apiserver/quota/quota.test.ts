import { describe, expect, it } from "vitest";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { reportQuotaStatus } from "../housekeeping/quota-status.ts";
import { SmallServer } from "../testing/small-server.ts";

async function serverWith(spec: object): Promise<SmallServer> {
  const server = new SmallServer();
  await server.createNamespacesForPods("n", "other");
  reportQuotaStatus(server.services, noLog);
  await server.create("resourcequotas", { metadata: { name: "q", namespace: "n" }, spec });
  return server;
}

async function usedIn(server: SmallServer): Promise<Record<string, string>> {
  await server.clock.advance(1000);
  await server.settled();
  const { status } = server.get("resourcequotas", { namespace: "n", name: "q" }) as { status?: { used?: never } };
  return status?.used ?? {};
}

const podWith = (name: string, requests: object, limits: object = {}, more: object = {}) => ({
  metadata: { name, namespace: "n" },
  spec: { containers: [{ name: "c", image: "i", resources: { requests, limits } }], ...more },
});
const inNamespace = (name: string, namespace = "n") => ({ metadata: { name, namespace } });

describe("a ResourceQuota", () => {
  it("counts what pods request, refuses what exceeds it, and gets back what a deletion frees", async () => {
    const server = await serverWith({
      hard: { pods: "5", cpu: "1", memory: "500Mi", "limits.cpu": "2", "requests.example.com/dongle": "3" },
    });
    const dongles = { "example.com/dongle": "2" };
    const requests = { cpu: "500m", memory: "252Mi", ...dongles };
    await server.create("pods", podWith("fits", requests, { cpu: "1", ...dongles }));
    const used = { pods: "1", cpu: "500m", memory: "252Mi", "limits.cpu": "1", "requests.example.com/dongle": "2" };
    expect(await usedIn(server)).toEqual(used);
    await expect(
      server.create("pods", podWith("large", { cpu: "600m", memory: "100Mi" }, { cpu: "600m" })),
    ).rejects.toMatchObject({
      code: 403,
      message: 'pods "large" is forbidden: exceeded quota: q, requested: cpu=600m, used: cpu=500m, limited: cpu=1',
    });
    await expect(
      server.create("pods", podWith("greedy", { cpu: "1m", memory: "1Mi", ...dongles }, { cpu: "1m", ...dongles })),
    ).rejects.toMatchObject({ message: expect.stringContaining("requests.example.com/dongle=2") as string });
    expect(await usedIn(server)).toEqual(used);
    await server.delete("pods", { namespace: "n", name: "fits" }, { gracePeriodSeconds: 0 });
    expect(await usedIn(server)).toEqual({
      ...used,
      pods: "0",
      cpu: "0",
      memory: "0",
      "limits.cpu": "0",
      "requests.example.com/dongle": "0",
    });
  });

  it("requires containers to say what they need of a limited resource", async () => {
    const server = await serverWith({ hard: { cpu: "1", "limits.memory": "1Gi" } });
    await expect(server.create("pods", podWith("silent", {}))).rejects.toMatchObject({
      message: 'pods "silent" is forbidden: failed quota: q: must specify cpu for: c; limits.memory for: c',
    });
  });

  it("counts objects of any kind by name, in its own namespace only", async () => {
    const server = await serverWith({
      hard: { configmaps: "2", "count/leases.coordination.k8s.io": "1", resourcequotas: "1" },
    });
    await server.create("configmaps", inNamespace("a"));
    await server.create("configmaps", inNamespace("a", "other"));
    await server.create("leases", inNamespace("l"));
    const names = { configmaps: "1", "count/leases.coordination.k8s.io": "1", resourcequotas: "1" };
    expect(await usedIn(server)).toEqual(names);
    await expect(server.create("leases", inNamespace("m"))).rejects.toMatchObject({ code: 403 });
    await expect(server.create("resourcequotas", inNamespace("r"))).rejects.toMatchObject({ code: 403 });
    await server.delete("configmaps", { namespace: "n", name: "a" });
    expect(await usedIn(server)).toMatchObject({ configmaps: "0" });
  });

  it("counts node ports and load balancers, also when a service becomes one", async () => {
    const server = await serverWith({
      hard: { services: "9", "services.nodeports": "1", "services.loadbalancers": "0" },
    });
    const service = (name: string, type: string) => ({ ...inNamespace(name), spec: { type, ports: [{ port: 80 }] } });
    await server.create("services", service("plain", "ClusterIP"));
    await server.create("services", service("open", "NodePort"));
    expect(await usedIn(server)).toEqual({ services: "2", "services.nodeports": "1", "services.loadbalancers": "0" });
    await expect(server.create("services", service("wide", "LoadBalancer"))).rejects.toMatchObject({ code: 403 });
    const target = { namespace: "n", name: "plain" };
    await expect(server.patch("services", target, { spec: { type: "NodePort" } })).rejects.toMatchObject({ code: 403 });
    await server.patch("services", target, { metadata: { labels: { a: "b" } } });
  });

  it.each([
    ["Terminating", "deadline"],
    ["NotTerminating", "plain"],
    ["BestEffort", "plain"],
    ["NotBestEffort", "deadline"],
  ])("with the scope %s counts only the pod %s", async (scope, counted) => {
    const server = await serverWith({ hard: { pods: "5" }, scopes: [scope] });
    await server.create("pods", podWith("plain", {}));
    expect(await usedIn(server)).toEqual({ pods: counted === "plain" ? "1" : "0" });
    await server.create("pods", podWith("deadline", { cpu: "1m" }, {}, { activeDeadlineSeconds: 60 }));
    expect(await usedIn(server)).toEqual({ pods: "1" });
  });

  it("is not exceeded by a hundred writes at once", async () => {
    const server = await serverWith({ hard: { "count/configmaps": "7" } });
    const names = Array.from({ length: 100 }, (_, index) => inNamespace(`c${index}`));
    const written = await Promise.allSettled(names.map((body) => server.create("configmaps", body)));
    expect(written.filter(({ status }) => status === "fulfilled")).toHaveLength(7);
    expect(await usedIn(server)).toEqual({ "count/configmaps": "7" });
  });

  it("gets its status back after a client overwrote it, and follows its spec", async () => {
    const server = await serverWith({ hard: { pods: "5" } });
    expect(await usedIn(server)).toEqual({ pods: "0" });
    const target = { namespace: "n", name: "q", subresource: "status" };
    await server.patch("resourcequotas", target, { status: { hard: { pods: "99" } } });
    await server.patch("resourcequotas", { namespace: "n", name: "q" }, { spec: { hard: { secrets: "1" } } });
    expect(await usedIn(server)).toEqual({ pods: "0", secrets: "0" });
    const { status } = server.get("resourcequotas", { namespace: "n", name: "q" });
    expect(status).toMatchObject({ hard: { pods: "5", secrets: "1" } });
  });
});
