import { afterEach, describe, expect, test } from "vitest";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { omitUndefined } from "../../../../language/object/json.ts";
import { VirtualClock } from "../../../../cluster/runtime/testing/virtual-clock.ts";
import { memoryCaches } from "../testing/memory-caches.ts";
import { MemoryCluster } from "../testing/memory-cluster.ts";
import { testNode, testPod } from "../testing/objects.ts";
import { byNamespace } from "../workload-caches.ts";
import type { EndpointSlice } from "./decide-slices.ts";
import { byService, bySlicedService, endpointSliceController } from "./endpoint-slice-controller.ts";
import type { Service } from "./endpoints-of-service.ts";

let end = new AbortController();
afterEach(() => end.abort());

class World {
  readonly clock = new VirtualClock();
  readonly cluster = new MemoryCluster(this.clock);

  constructor() {
    end = new AbortController();
    const { cluster, clock } = this;
    this.cluster.put(kinds.node, testNode("n", { labels: { "topology.kubernetes.io/zone": "z" } }));
    void endpointSliceController({
      client: cluster.client,
      caches: memoryCaches(cluster),
      services: cluster.informer(kinds.service, { [byNamespace]: ({ metadata }) => [metadata.namespace ?? ""] }),
      endpointSlices: cluster.informer(kinds.endpointSlice, { [byService]: bySlicedService }),
      clock,
      recorder: { record: () => {} },
    }).run(end.signal);
  }

  service(spec: Omit<NonNullable<Service["spec"]>, "selector"> & { selector?: undefined } = {}): void {
    const metadata = { name: "web", namespace: "default", labels: { tier: "front" } };
    const ports = [{ name: "http", port: 80, targetPort: 8080 }];
    const whole = omitUndefined({ selector: { app: "web" }, ports, ...spec });
    this.cluster.put(kinds.service, { apiVersion: "v1", kind: "Service", metadata, spec: whole });
  }

  pod(name: string, ip: string | undefined, { ready = true, going = false, more = {} } = {}): void {
    const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
    const status = {
      phase: "Running",
      conditions,
      ...(ip && { podIP: ip, podIPs: [{ ip }, { ip: `fd00::${name}` }] }),
    };
    const meta = { labels: { app: "web" }, ...(going && { deletionTimestamp: "2026-01-01T00:00:00Z" }) };
    this.cluster.put(kinds.pod, testPod(name, { nodeName: "n", meta, status, ...more }));
  }

  async slices(): Promise<EndpointSlice[]> {
    await this.clock.advance(10_000);
    return this.cluster.list(kinds.endpointSlice);
  }
}

test("a Service has an endpoint for each pod with an address, with its conditions", async () => {
  const world = new World();
  world.service();
  world.pod("a", "10.0.0.1");
  world.pod("b", "10.0.0.2", { ready: false });
  world.pod("c", "10.0.0.3", { going: true });
  world.pod("d", undefined);
  const [slice, ...more] = await world.slices();
  expect(more).toEqual([]);
  expect(slice).toMatchObject({
    metadata: {
      generateName: "web-",
      labels: {
        tier: "front",
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      },
      ownerReferences: [{ kind: "Service", name: "web", controller: true }],
    },
    addressType: "IPv4",
    ports: [{ name: "http", protocol: "TCP", port: 8080 }],
  });
  expect(slice?.endpoints.map(({ addresses, conditions, zone }) => [addresses[0], conditions, zone])).toEqual([
    ["10.0.0.1", { ready: true, serving: true, terminating: false }, "z"],
    ["10.0.0.2", { ready: false, serving: false, terminating: false }, "z"],
    ["10.0.0.3", { ready: false, serving: true, terminating: true }, "z"],
  ]);
});

describe("slices", () => {
  test("follow pods, with one write for one change", async () => {
    const world = new World();
    world.service();
    for (let i = 0; i < 150; i++) world.pod(`p${i}`, `10.0.0.${i}`);
    expect((await world.slices()).map(({ endpoints }) => endpoints.length)).toEqual([100, 50]);
    const before = world.cluster.writes.length;
    world.pod("p7", "10.0.0.7", { ready: false });
    await world.slices();
    expect(world.cluster.writes.slice(before).map((write) => write.split(" ")[0])).toEqual(["update"]);
    for (let i = 0; i < 150; i++) world.cluster.remove(kinds.pod, `default/p${i}`);
    expect((await world.slices()).map(({ endpoints }) => endpoints)).toEqual([[]]);
  });

  test("exist for a Service without pods, empty, and are written once", async () => {
    const world = new World();
    world.service();
    expect(await world.slices()).toMatchObject([{ endpoints: [], ports: [] }]);
    await world.slices();
    expect(world.cluster.writes).toHaveLength(1);
  });

  test("are made for each address family and each number of a named port", async () => {
    const world = new World();
    world.service({ ipFamilies: ["IPv4", "IPv6"], ports: [{ name: "http", port: 80, targetPort: "web" }] });
    const named = (containerPort: number) => ({
      more: { containers: [{ name: "c", image: "i", ports: [{ name: "web", containerPort }] }] },
    });
    world.pod("a", "10.0.0.1", named(8080));
    world.pod("b", "10.0.0.2", named(9090));
    const found = await world.slices();
    expect(found.map(({ addressType, ports }) => `${addressType} ${ports?.[0]?.port}`).toSorted()).toEqual([
      "IPv4 8080",
      "IPv4 9090",
      "IPv6 8080",
      "IPv6 9090",
    ]);
  });

  test.each<{ because: string; spec: Parameters<World["service"]>[0] }>([
    { because: "it has no selector", spec: { selector: undefined } },
    { because: "it is of type ExternalName", spec: { type: "ExternalName" } },
  ])("are not made for a Service when $because", async ({ spec }) => {
    const world = new World();
    world.service(spec);
    expect(await world.slices()).toEqual([]);
  });
});
