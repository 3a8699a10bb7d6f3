import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { SmallServer } from "../../../testing/small-server.ts";
import { row } from "../../testing/run-strategy.ts";
import { service } from "./service.ts";

let server: SmallServer;
const ports = [{ port: 80 }];
const one = { namespace: "a", name: "one" };

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespaces("a");
});

const create = (spec: object) => server.create("services", { metadata: { ...one }, spec: { ...spec } });
const change = (spec: object) => server.patch("services", one, { spec });
const faults = async (write: Promise<unknown>): Promise<string[]> =>
  write.then(
    () => [],
    ({ details }: { details: { causes: { field: string; message: string }[] } }) =>
      details.causes.map(({ field, message }) => `${field}: ${message}`),
  );

describe("a new service", () => {
  it.each([
    [
      "of the usual type",
      { ports },
      {
        type: "ClusterIP",
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
        ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      },
    ],
    ["without address or selector", { clusterIP: "None" }, { clusterIPs: ["None"], ipFamilies: ["IPv4", "IPv6"] }],
    ["without address", { clusterIP: "None", selector: { a: "b" } }, { ipFamilies: ["IPv4"] }],
    [
      "that remembers its clients",
      { ports, sessionAffinity: "ClientIP" },
      { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } },
    ],
    [
      "behind a balancer",
      { ports, type: "LoadBalancer", externalTrafficPolicy: "Local" },
      { allocateLoadBalancerNodePorts: true, healthCheckNodePort: expect.any(Number) },
    ],
    [
      "behind a balancer that needs no ports",
      { ports, type: "LoadBalancer", allocateLoadBalancerNodePorts: false },
      { ports: [{ port: 80, protocol: "TCP", targetPort: 80 }], externalTrafficPolicy: "Cluster" },
    ],
  ])("%s gets its defaults", async (_, spec, expected) => {
    expect((await create(spec)).spec).toMatchObject(expected);
  });

  it("of type ExternalName has no address and no families", async () => {
    expect((await create({ type: "ExternalName", externalName: "a.example" })).spec).toEqual({
      type: "ExternalName",
      externalName: "a.example",
      sessionAffinity: "None",
    });
  });

  it.each([
    [{}, ["spec.ports: Required value"]],
    [{ ports, type: "Odd" }, [/^spec\.type: Unsupported value: "Odd"/]],
    [
      { ports: [...ports, ...ports] },
      [/ports\[0\]\.name: Required/, /ports\[1\]\.name: Required/, /ports\[1\]: Duplicate/],
    ],
    [{ ports: [{ port: 80, nodePort: 30001 }] }, [/ports\[0\]\.nodePort: Forbidden: may not be used when/]],
    [{ ports, clusterIP: "x" }, [/clusterIPs\[0\]: Invalid value: "x": must be a valid IP address/]],
    [{ ports, clusterIP: "10.97.0.1" }, [/failed to allocate IP 10\.97\.0\.1: the provided network does not match/]],
    [{ ports, clusterIP: "fd00::1" }, [/clusterIPs\[0\]: .*IPv6 is not configured on this cluster/]],
    [{ ports, ipFamilies: ["IPv6"] }, ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster']],
    [{ ports, ipFamilyPolicy: "RequireDualStack" }, [/this cluster is not configured for dual-stack services/]],
    [{ ports, type: "NodePort", clusterIP: "None" }, [/may not be set to 'None' for NodePort services/]],
    [{ type: "ExternalName" }, ["spec.externalName: Required value"]],
    [{ ports, externalIPs: ["127.0.0.1"] }, [/externalIPs\[0\]: .*loopback/]],
    [{ ports, loadBalancerClass: "a.b/c" }, [/loadBalancerClass: Forbidden: may only be used when `type`/]],
    [{ ports, externalTrafficPolicy: "Local" }, [/may only be set for externally-accessible services/]],
  ])("is refused with %j", async (spec, expected) => {
    const found = await faults(create(spec));
    expect(found).toHaveLength(expected.length);
    for (const [index, words] of expected.entries()) expect(found[index]).toMatch(words);
  });

  it("gets warnings for fields without effect", async () => {
    await create({ ports, externalName: "a.example" });
    expect(server.warnings).toEqual(['spec.externalName is ignored when spec.type is not "ExternalName"']);
  });
});

describe("a service that changes", () => {
  it("keeps allocated fields when the same manifest is sent again", async () => {
    const made = await create({ type: "NodePort", ports: [{ name: "a", port: 80 }] });
    const again = await server.update("services", {
      metadata: { ...one },
      spec: { type: "NodePort", ports: [{ name: "a", port: 81 }] },
    });
    expect(again.spec).toMatchObject({ clusterIP: (made.spec as { clusterIP: string }).clusterIP });
    expect(nodePort(again)).toBe(nodePort(made));
  });

  it.each([
    [{ clusterIP: "10.96.9.9" }, /clusterIPs\[0\]: .*may not change once set/],
    [{ clusterIP: "None" }, /clusterIPs\[0\]: .*may not change once set/],
    [{ clusterIP: null, clusterIPs: ["10.96.9.9"] }, /first value must match `clusterIP`/],
  ])("cannot become %j", async (spec, words) => {
    await create({ ports });
    expect((await faults(change(spec))).join()).toMatch(words);
  });

  it("loses fields that only its old type has", async () => {
    await create({ type: "LoadBalancer", externalTrafficPolicy: "Local", loadBalancerClass: "a.b/c", ports });
    const ingress = [{ ip: "192.0.2.1" }];
    await server.patch("services", { ...one, subresource: "status" }, { status: { loadBalancer: { ingress } } });
    const { spec, status } = await change({ type: "ClusterIP" });
    expect(spec).not.toHaveProperty("externalTrafficPolicy");
    expect(spec).not.toHaveProperty("healthCheckNodePort");
    expect(spec).not.toHaveProperty("loadBalancerClass");
    expect(spec).not.toHaveProperty("allocateLoadBalancerNodePorts");
    expect(spec).toMatchObject({ ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] });
    expect(status).toEqual({ loadBalancer: {} });
  });
});

const nodePort = ({ spec }: KubeObject): unknown => (spec as { ports: { nodePort: number }[] }).ports[0]?.nodePort;

it("shows its addresses and ports", async () => {
  const made = await create({ type: "LoadBalancer", externalIPs: ["192.0.2.9"], ports, selector: { b: "2", a: "1" } });
  expect(row(service, made)).toMatchObject({
    "External-IP": "192.0.2.9",
    "Port(s)": `80:${String(nodePort(made))}/TCP`,
    Selector: "a=1,b=2",
  });
  const { status } = await server.patch(
    "services",
    { ...one, subresource: "status" },
    { status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }, { hostname: "a.example" }] } } },
  );
  expect(row(service, { ...made, status })["External-IP"]).toBe("192.0.2.1,a.example,192.0.2.9");
});
