import { expect, it } from "vitest";
import type { HostedCluster } from "../api.ts";
import { userDataIgnition } from "./user-data.ts";

const of = { nodePool: "clusters/np1", token: "dG9rZW4=", target: "f" };

function cluster(spec: HostedCluster["spec"]): HostedCluster {
  const status = { ignitionEndpoint: "ignition.example" };
  return { apiVersion: "v1", kind: "HostedCluster", metadata: { name: "demo" }, ...(spec ? { spec } : {}), status };
}

it("a machine fetches its configuration with its token, trusts the authority of the server, and goes through the proxy", () => {
  const proxy = { httpProxy: "http://proxy:3128", noProxy: "example.com, .svc" };
  const networking = { machineNetwork: [{ cidr: "192.0.2.0/24" }] };
  const hostedCluster = cluster({ configuration: { proxy }, networking });
  expect(userDataIgnition({ ...of, hostedCluster, authority: "UEVN" })).toEqual({
    ignition: {
      version: "3.2.0",
      config: {
        merge: [
          {
            source: "https://ignition.example/ignition",
            httpHeaders: [
              { name: "Authorization", value: "Bearer dG9rZW4=" },
              { name: "NodePool", value: "clusters/np1" },
              { name: "TargetConfigVersionHash", value: "f" },
            ],
          },
        ],
      },
      security: { tls: { certificateAuthorities: [{ source: "data:text/plain;base64,UEVN" }] } },
      proxy: {
        httpProxy: "http://proxy:3128",
        noProxy: [".cluster.local", ".local", ".svc", "127.0.0.1", "192.0.2.0/24", "example.com", "localhost"],
      },
    },
  });
});

it.each<[string, HostedCluster["spec"]]>([
  ["there is none", {}],
  ["it is empty", { configuration: { proxy: { noProxy: "example.com" } } }],
  ["there is no configuration", { configuration: null }],
  ["it is something else", { configuration: { proxy: { httpProxy: 1 } }, networking: { machineNetwork: "all" } }],
])("without proxy: %s", (_, spec) => {
  const { ignition } = userDataIgnition({ ...of, hostedCluster: cluster(spec) }) as { ignition: object };
  expect(Object.keys(ignition)).toEqual(["version", "config"]);
});
