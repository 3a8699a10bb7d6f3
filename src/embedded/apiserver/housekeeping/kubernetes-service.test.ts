import { beforeEach, describe, expect, it } from "vitest";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { SmallServer } from "../testing/small-server.ts";
import { writeKubernetesService } from "./kubernetes-service.ts";
import { deleteEndpointsOfServices } from "./service-endpoints.ts";

let server: SmallServer;
const itself = { namespace: "default", name: "kubernetes" };

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespaces("default");
});

describe("the Service kubernetes", () => {
  it("has the first address of the service network, and endpoints at its own address", async () => {
    await writeKubernetesService(server.services, { host: "192.0.2.1", port: 6443 });
    expect(server.get("services", itself).spec).toMatchObject({
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", port: 443, targetPort: 6443 }],
    });
    expect(server.get("endpoints", itself).subsets).toEqual([
      { addresses: [{ ip: "192.0.2.1" }], ports: [{ name: "https", port: 6443, protocol: "TCP" }] },
    ]);
    expect(server.get("endpointslices", itself)).toMatchObject({ endpoints: [{ addresses: ["192.0.2.1"] }] });
  });

  it("has an address and no endpoints if it listens on loopback", async () => {
    await writeKubernetesService(server.services, { host: "127.0.0.1", port: 6443 });
    expect(server.get("endpoints", itself).subsets).toBeUndefined();
    expect(server.get("services", itself).spec).toMatchObject({ clusterIP: "10.96.0.1" });
  });

  it("is written again only if it changed", async () => {
    await writeKubernetesService(server.services, { host: "192.0.2.1", port: 6443 });
    const before = server.store.revision;
    await writeKubernetesService(server.services, { host: "192.0.2.1", port: 6443 });
    expect(server.store.revision).toBe(before);
    await writeKubernetesService(server.services, { host: "192.0.2.1", port: 6444 });
    expect(server.get("services", itself).spec).toMatchObject({
      clusterIP: "10.96.0.1",
      ports: [{ targetPort: 6444 }],
    });
  });
});

it("the Endpoints of a deleted Service are deleted", async () => {
  const stop = deleteEndpointsOfServices(server.services, noLog);
  await writeKubernetesService(server.services, { host: "192.0.2.1", port: 6443 });
  await server.delete("services", itself);
  await server.settled();
  expect(server.exists("endpoints", itself)).toBe(false);
  stop();
});
