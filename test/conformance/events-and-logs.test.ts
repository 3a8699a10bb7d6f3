import { expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";
import { ageless } from "./printed-table.ts";

const about = { apiVersion: "v1", kind: "Pod", name: "p", namespace: "work" };

onEachServer("events, logs and groups", (cluster) => {
  const create = (object: object): Promise<string> =>
    cluster.kubectl.out("create -f -", { stdin: JSON.stringify(object) });

  it("shows the same events under both groups", async () => {
    await create({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "counted" },
      involvedObject: about,
      reason: "Pulled",
      message: "told twice",
      type: "Normal",
      count: 2,
      source: { component: "kubelet" },
    });
    await create({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "told" },
      regarding: about,
      reason: "Failed",
      note: "told once",
      type: "Warning",
      action: "Pulling",
      reportingController: "x.example/y",
      reportingInstance: "y-1",
      eventTime: "2026-01-01T00:00:00.000000Z",
    });
    const columns = "-o custom-columns=N:.metadata.name,M:.message,O:.note,C:.count,D:.deprecatedCount";
    expect(ageless(await cluster.kubectl.out(`get events counted told ${columns}`)).slice(1)).toEqual([
      ["counted", "told twice", "<none>", "2", "<none>"],
      ["told", "told once", "<none>", "<none>", "<none>"],
    ]);
    expect(ageless(await cluster.kubectl.out(`get events.events.k8s.io counted told ${columns}`)).slice(1)).toEqual([
      ["counted", "<none>", "told twice", "<none>", "2"],
      ["told", "<none>", "told once", "<none>", "<none>"],
    ]);
    await cluster.kubectl.prints(
      "get events.events.k8s.io --field-selector regarding.name=p,type=Warning -o name",
      "event.events.k8s.io/told",
    );
    await cluster.kubectl.prints("delete events.events.k8s.io counted", /deleted/);
    await cluster.kubectl.refuses("get event counted", 'Error from server (NotFound): events "counted" not found');
  });

  it("finds the events of an object", async () => {
    await create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "a", image: "i" }] },
    });
    const uid = await cluster.kubectl.out("get pod p -o jsonpath={.metadata.uid}");
    const event = { apiVersion: "v1", kind: "Event", metadata: { name: "of-p" }, type: "Warning", reason: "Broken" };
    await create({ ...event, involvedObject: { ...about, uid }, message: "in two", source: { component: "hammer" } });
    expect(await cluster.kubectl.out("describe pod p")).toMatch(/Warning\s+Broken\s+.*hammer\s+in two/);
    expect(await cluster.kubectl.out("events --for pod/p")).toMatch(/Warning\s+Broken\s+Pod\/p\s+in two/);
  });

  it("refuses logs that are not available, and returns none for an unscheduled pod", async () => {
    await create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "many" },
      spec: { containers: ["a", "b"].map((name) => ({ name, image: "i" })) },
    });
    await cluster.kubectl.prints("logs p", "");
    await cluster.kubectl.refuses(
      "logs none",
      'error: error from server (NotFound): pods "none" not found in namespace "work"',
    );
    await cluster.kubectl.refuses("logs many -c c", "error: container c is not valid for pod many");
    await cluster.kubectl.refuses(
      "get --raw /api/v1/namespaces/work/pods/many/log",
      "Error from server (BadRequest): a container name must be specified for pod many, choose one of: [a b]",
    );
    await cluster.kubectl.refuses(
      "get --raw /api/v1/nodes/none/proxy/healthz",
      'Error from server (NotFound): nodes "none" not found',
    );
  });

  it("lists the served groups", async () => {
    expect(ageless(await cluster.kubectl.out("get apiservices v1. v1.apps v1.events.k8s.io"))).toEqual([
      ["NAME", "SERVICE", "AVAILABLE", "AGE"],
      ["v1.", "Local", "True", "AGE"],
      ["v1.apps", "Local", "True", "AGE"],
      ["v1.events.k8s.io", "Local", "True", "AGE"],
    ]);
  });

  it("lists the user's rights", async () => {
    const mine = ageless(await cluster.kubectl.out("auth can-i --list"));
    expect(mine[0]).toEqual(["Resources", "Non-Resource URLs", "Resource Names", "Verbs"]);
    expect(mine.map((row) => row.join(" ").trim())).toContain("*.* [] [] [*]");
    await cluster.kubectl.out("create role looker --verb=get,list --resource=services,pods/log");
    await cluster.kubectl.out("create rolebinding looker --role=looker --user=ann");
    const hers = ageless(await cluster.kubectl.out("auth can-i --list --as=ann")).map((row) => row.join(" ").trim());
    expect(hers).toEqual(expect.arrayContaining(["services [] [] [get list]", "pods/log [] [] [get list]"]));
    await cluster.kubectl.prints("auth can-i get pods --subresource=log --as=ann", "yes");
  });

  it("keeps volumes while they are in use", async () => {
    await create({
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "disk" },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
    });
    expect(ageless(await cluster.kubectl.out("get pv disk"))[0]).toEqual([
      "NAME",
      "CAPACITY",
      "ACCESS MODES",
      "RECLAIM POLICY",
      "STATUS",
      "CLAIM",
      "STORAGECLASS",
      "VOLUMEATTRIBUTESCLASS",
      "REASON",
      "AGE",
    ]);
    expect(await cluster.kubectl.out("describe pv disk")).toMatch(/Reclaim Policy:\s+Retain[\s\S]*Capacity:\s+1Gi/);
    await cluster.kubectl.out("delete pv disk --wait=false");
    await cluster.kubectl.prints("get pv disk -o jsonpath={.metadata.finalizers}", '["kubernetes.io/pv-protection"]');
    await cluster.kubectl.out(`patch pv disk -p '{"metadata":{"finalizers":null}}'`);
    await cluster.kubectl.refuses("get pv disk", 'Error from server (NotFound): persistentvolumes "disk" not found');
  });
});
