import { expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";
import { ageless, rows } from "./printed-table.ts";

/** Addresses and ports are random; ports below 30086 are only given when asked for. */
const general = (text: string): string[][] =>
  ageless(text).map((row) =>
    row.map((cell) => cell.replace(/^10\.96\.\d+\.\d+$/, "ADDRESS").replaceAll(/:3\d{4}\//g, ":PORT/")),
  );
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels: { app: "web" } } };
const containers = [{ name: "c", image: "i", ports: [{ containerPort: 8080 }] }];

onEachServer("services", (cluster) => {
  const spec = async (name: string): Promise<Record<string, unknown>> =>
    ((await cluster.kubectl.json(`get service ${name}`)) as { spec: Record<string, unknown> }).spec;

  it("exposes a pod under its own address", async () => {
    const stdin = JSON.stringify({ ...pod, spec: { containers } });
    await cluster.kubectl.prints("create -f -", "pod/web created", { stdin });
    await cluster.kubectl.prints("expose pod web --port=80 --target-port=8080", "service/web exposed");
    await cluster.kubectl.prints("expose pod web --name=more --type=NodePort", "service/more exposed");
    expect(general(await cluster.kubectl.out("get services -o wide"))).toEqual([
      ["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE", "SELECTOR"],
      ["more", "NodePort", "ADDRESS", "<none>", "8080:PORT/TCP", "AGE", "app=web"],
      ["web", "ClusterIP", "ADDRESS", "<none>", "80/TCP", "AGE", "app=web"],
    ]);
  });

  it("creates services of every type", async () => {
    await cluster.kubectl.prints("create service clusterip plain --tcp=5678:8080", "service/plain created");
    await cluster.kubectl.prints("create service clusterip headless --clusterip=None", "service/headless created");
    await cluster.kubectl.prints("create service nodeport ported --tcp=80 --node-port=30012", "service/ported created");
    await cluster.kubectl.prints("create service loadbalancer balanced --tcp=80", "service/balanced created");
    await cluster.kubectl.prints("create service externalname far --external-name=a.example", "service/far created");
    expect(general(await cluster.kubectl.out("get svc plain headless ported balanced far"))).toEqual([
      ["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"],
      ["plain", "ClusterIP", "ADDRESS", "<none>", "5678/TCP", "AGE"],
      ["headless", "ClusterIP", "None", "<none>", "<none>", "AGE"],
      ["ported", "NodePort", "ADDRESS", "<none>", "80:PORT/TCP", "AGE"],
      ["balanced", "LoadBalancer", "ADDRESS", "<pending>", "80:PORT/TCP", "AGE"],
      ["far", "ExternalName", "<none>", "a.example", "<none>", "AGE"],
    ]);
    expect(await spec("ported")).toMatchObject({ ports: [{ nodePort: 30012 }] });
  });

  it("refuses addresses and ports that are taken", async () => {
    const { clusterIP } = await spec("plain");
    await cluster.kubectl.refuses(
      `create service clusterip second --tcp=80 --clusterip=${String(clusterIP)}`,
      `error: failed to create ClusterIP service: Service "second" is invalid: spec.clusterIPs: Invalid value: ["${String(clusterIP)}"]: failed to allocate IP ${String(clusterIP)}: provided IP is already allocated`,
    );
    await cluster.kubectl.refuses(
      "create service nodeport second --tcp=80 --node-port=30012",
      'error: failed to create NodePort service: Service "second" is invalid: spec.ports[0].nodePort: Invalid value: 30012: provided port is already allocated',
    );
    await cluster.kubectl.refuses(
      "create service nodeport second --tcp=80 --node-port=80",
      'error: failed to create NodePort service: Service "second" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
  });

  it("releases addresses and ports that are no longer used", async () => {
    await cluster.kubectl.prints(`patch service ported -p '{"spec":{"type":"ClusterIP"}}'`, "service/ported patched");
    expect((await spec("ported")).ports).toEqual([{ name: "80", port: 80, protocol: "TCP", targetPort: 80 }]);
    await cluster.kubectl.prints("create service nodeport again --tcp=80 --node-port=30012", "service/again created");
    await cluster.kubectl.out("delete service again");
    await cluster.kubectl.prints("create service nodeport again --tcp=80 --node-port=30012", "service/again created");
  });

  it("keeps the address of a service over updates", async () => {
    const before = await spec("web");
    await cluster.kubectl.refuses(
      `patch service web -p '{"spec":{"clusterIP":"10.96.200.200"}}'`,
      /The Service "web" is invalid: spec\.clusterIPs\[0\]: Invalid value: \["10\.96\.200\.200"\]: may not change once set/,
    );
    await cluster.kubectl.out(`patch service web -p '{"spec":{"type":"NodePort"}}'`);
    expect((await spec("web")).clusterIP).toBe(before.clusterIP);
    const stdin = JSON.stringify({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    await cluster.kubectl.prints("replace -f -", "service/web replaced", { stdin });
    expect((await spec("web")).clusterIP).toBe(before.clusterIP);
  });

  it("allocates nothing in a dry run", async () => {
    await cluster.kubectl.out("create service nodeport dry --tcp=80 --node-port=30042 --dry-run=server");
    await cluster.kubectl.prints("create service nodeport wet --tcp=80 --node-port=30042", "service/wet created");
  });

  it("has the Service kubernetes", async () => {
    const table = general(await cluster.kubectl.out("get service kubernetes -n default"));
    expect(table[1]).toEqual(["kubernetes", "ClusterIP", "ADDRESS", "<none>", "443/TCP", "AGE"]);
    await cluster.kubectl.prints("get service kubernetes -n default -o jsonpath={.spec.clusterIP}", "10.96.0.1");
    await cluster.kubectl.prints(
      "get endpointslice kubernetes -n default -o name",
      "endpointslice.discovery.k8s.io/kubernetes",
    );
  });

  it("describes a service", async () => {
    const lines = rows(await cluster.kubectl.out("describe service plain")).map((row) => row.join(" "));
    expect(lines.filter((line) => !/IP/.test(line) && !/^(Endpoints|Events)/.test(line))).toEqual([
      "Name: plain",
      "Namespace: work",
      "Labels: app=plain",
      "Annotations: <none>",
      "Selector: app=plain",
      "Port: 5678-8080 5678/TCP",
      "TargetPort: 8080/TCP",
      "Session Affinity: None",
      "Internal Traffic Policy: Cluster",
    ]);
  });

  it("lists everything with `get all`", async () => {
    await cluster.kubectl.prints("create deployment served --image=i", "deployment.apps/served created");
    const names = (await cluster.kubectl.out("get all -o name")).split("\n");
    expect(names).toEqual(
      expect.arrayContaining(["pod/web", "service/web", "service/plain", "deployment.apps/served"]),
    );
  });

  it("runs a pod and exposes it with one command", async () => {
    const said = await cluster.kubectl.out("run quick --image=i --port=80 --expose");
    expect(said.split("\n").toSorted()).toEqual(["pod/quick created", "service/quick created"]);
  });
});
