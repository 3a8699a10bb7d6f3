import { describe, expect, test } from "vitest";
import { ServiceAddresses } from "./service-address.ts";
import { storeOf } from "./testing/store-of.ts";

const service = {
  spec: {
    clusterIP: "10.96.0.9",
    ports: [
      { name: "web", port: 80 },
      { name: "hooks", port: 443 },
    ],
  },
};
const slice = (addresses: string[], conditions = {}, ports: object[] = [{ name: "hooks", port: 9443 }]): object => ({
  metadata: { namespace: "a", name: "s", labels: { "kubernetes.io/service-name": "x" } },
  ports,
  endpoints: addresses.map((address) => ({ addresses: [address], conditions })),
});
const SLICES = "endpointslices.discovery.k8s.io";

describe("a service is found at", () => {
  test.each<[string, Record<string, object>, string]>([
    ["the endpoint in a slice", { [`${SLICES}/a/1`]: slice(["10.0.0.1"]) }, "10.0.0.1:9443"],
    [
      "one that does not say whether it is ready",
      { [`${SLICES}/a/1`]: slice(["10.0.0.1"], { ready: undefined }) },
      "10.0.0.1:9443",
    ],
    [
      "its cluster address if none is ready",
      { [`${SLICES}/a/1`]: slice(["10.0.0.1"], { ready: false }) },
      "10.96.0.9:443",
    ],
    [
      "its cluster address if the port is another's",
      { [`${SLICES}/a/1`]: slice(["10.0.0.1"], {}, [{ name: "web", port: 8080 }]) },
      "10.96.0.9:443",
    ],
    [
      "the addresses of its Endpoints",
      { "endpoints/a/x": { subsets: [{ addresses: [{ ip: "10.0.0.2" }], ports: [{ name: "hooks", port: 9444 }] }] } },
      "10.0.0.2:9444",
    ],
    [
      "its cluster address if those are not ready",
      {
        "endpoints/a/x": {
          subsets: [{ notReadyAddresses: [{ ip: "10.0.0.2" }], ports: [{ name: "hooks", port: 1 }] }],
        },
      },
      "10.96.0.9:443",
    ],
    [
      "a name outside",
      { "services/a/x": { spec: { type: "ExternalName", externalName: "hooks.example" } } },
      "hooks.example:443",
    ],
  ])("%s", (_, objects, address) => {
    const { host, port } = new ServiceAddresses(storeOf({ "services/a/x": service, ...objects })).find("a", "x", 443);
    expect(`${host}:${port}`).toBe(address);
  });
});

test("ready endpoints are used in turn", () => {
  const addresses = new ServiceAddresses(
    storeOf({ "services/a/x": service, [`${SLICES}/a/1`]: slice(["10.0.0.1", "10.0.0.2"]) }),
  );
  expect([1, 2, 3].map(() => addresses.find("a", "x", 443).host)).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.1"]);
});

test.each([
  ["another namespace", "b", 443, 'service "x" not found'],
  ["a port it does not have", "a", 444, 'no service port 444 found for service "x"'],
  ["no endpoints and no address", "a", 443, 'no endpoints available for service "x"'],
])("a service with %s is not found", (_, namespace, port, message) => {
  const headless = { spec: { ...service.spec, clusterIP: "None" } };
  const addresses = new ServiceAddresses(storeOf({ "services/a/x": headless }));
  expect(() => addresses.find(namespace, "x", port)).toThrow(message);
});
