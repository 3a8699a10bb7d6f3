import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startLabBeside } from "./lab-beside.ts";
import { startPartitionedLab } from "./partitioned-lab.ts";
import { type Cluster, onEachServer } from "./on-each-server.ts";
import { ageless } from "./printed-table.ts";

const image = "example.com/app:1";
const workload = (kind: string, app: string, spec: object = {}, pods: object = {}): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind,
    metadata: { name: app },
    spec: {
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [{ name: "c", image }], ...pods } },
      ...spec,
    },
  });

function everyday(cluster: Cluster, startLab: typeof startLabBeside): void {
  let stop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    stop = await startLab(cluster.variant, cluster.server);
  }, 120_000);
  afterAll(() => stop?.());

  const rolledOut = (name: string): Promise<string> => cluster.kubectl.out(`rollout status ${name} --timeout=60s`);
  const create = (stdin: string): Promise<string> => cluster.kubectl.out("create -f -", { stdin });

  it("shows the nodes, and what is on them", async () => {
    const { kubectl } = cluster;
    await kubectl.out("wait --for=condition=Ready node --all --timeout=30s");
    expect(ageless(await kubectl.out("get nodes"))).toEqual([
      ["NAME", "STATUS", "ROLES", "AGE", "VERSION"],
      ["node1", "Ready", "<none>", "AGE", expect.stringMatching(/^v1\./)],
      ["node2", "Ready", "<none>", "AGE", expect.stringMatching(/^v1\./)],
    ]);
    await kubectl.out(`run alone --image=${image} --overrides='{"spec":{"nodeName":"node1"}}'`);
    await kubectl.out("wait --for=condition=Ready pod/alone --timeout=30s");
    const description = await kubectl.out("describe node node1");
    expect(description).toMatch(/Ready\s+True/);
    expect(description).toMatch(/Non-terminated Pods:[\s\S]*work\s+alone/);
    await kubectl.prints("delete pod alone", 'pod "alone" deleted');
  });

  it("runs, exposes, scales and changes with short commands", async () => {
    const { kubectl } = cluster;
    await kubectl.prints(
      `create deployment shop --image=${image} --replicas=2 --port=80`,
      "deployment.apps/shop created",
    );
    expect(await rolledOut("deployment/shop")).toMatch(/successfully rolled out$/);
    await kubectl.prints("expose deployment shop --port=80", "service/shop exposed");
    await kubectl.out(
      "wait --for=jsonpath={.endpoints[1].conditions.ready}=true endpointslice -l kubernetes.io/service-name=shop --timeout=30s",
    );
    await kubectl.prints("scale deployment shop --replicas=3 --current-replicas=2", "deployment.apps/shop scaled");
    await kubectl.prints("set env deployment/shop A=b", "deployment.apps/shop env updated");
    await kubectl.prints(
      "set resources deployment/shop --requests=cpu=10m,memory=16Mi",
      "deployment.apps/shop resource requirements updated",
    );
    await kubectl.prints("set image deployment/shop app=example.com/app:2", "deployment.apps/shop image updated");
    expect(await rolledOut("deployment/shop")).toMatch(/successfully rolled out$/);
    await kubectl.prints("autoscale deployment shop --max=4", "horizontalpodautoscaler.autoscaling/shop autoscaled");
    const all = await kubectl.out("get all -o wide");
    for (const line of [
      /^pod\/shop-\S+\s+1\/1\s+Running\s+0\s+\S+\s+[\d.]+\s+node[12]\s+<none>\s+<none>$/m,
      /^service\/shop\s+ClusterIP\s+[\d.]+\s+<none>\s+80\/TCP\s+\S+\s+app=shop$/m,
      /^deployment.apps\/shop\s+3\/3\s+3\s+3\s+\S+\s+app\s+example.com\/app:2\s+app=shop$/m,
      /^replicaset.apps\/shop-\w+\s+3\s+3\s+3\s/m,
      /^horizontalpodautoscaler.autoscaling\/shop\s+Deployment\/shop\s+cpu: <unknown>\/80%\s+1\s+4\s/m,
    ])
      expect(all).toMatch(line);
    const description = await kubectl.out("describe deployment shop");
    expect(description).toMatch(/Environment:\s+A:\s+b/);
    expect(description).toMatch(
      /Events:[\s\S]*Normal\s+ScalingReplicaSet\s+.*deployment-controller\s+Scaled up replica set/,
    );
    const pod = await kubectl.out("get pod -l app=shop -o jsonpath={.items[0].metadata.name}");
    const ofPod = await kubectl.out(`describe pod ${pod}`);
    expect(ofPod).toMatch(/Node:\s+node[12]\//);
    expect(ofPod).toMatch(/Controlled By:\s+ReplicaSet\/shop-/);
    expect(ofPod).toMatch(
      /Normal\s+Scheduled\s+.*default-scheduler\s+Successfully assigned work\/shop-\S+ to node[12]/,
    );
    await kubectl.prints("delete deployment,service,hpa shop", /deployment.apps "shop" deleted/);
    await kubectl.out("wait --for=delete pod -l app=shop --timeout=60s");
  });

  it("creates jobs and cron jobs", async () => {
    const { kubectl } = cluster;
    await kubectl.prints(`create job once --image=${image} -- true`, "job.batch/once created");
    await kubectl.prints("wait --for=condition=Complete job/once --timeout=60s", "job.batch/once condition met");
    await kubectl.prints(
      `create cronjob often --image=${image} --schedule='0 0 1 1 *' -- true`,
      "cronjob.batch/often created",
    );
    await kubectl.prints("create job by-hand --from=cronjob/often", "job.batch/by-hand created");
    await kubectl.out("wait --for=condition=Complete job/by-hand --timeout=60s");
    expect(ageless(await kubectl.out("get cronjob"))[1]).toEqual([
      "often",
      "0 0 1 1 *",
      "<none>",
      "False",
      "0",
      "<none>",
      "AGE",
    ]);
    expect(ageless(await kubectl.out("get jobs")).map(([name, state]) => `${name} ${state}`)).toEqual([
      "NAME STATUS",
      "by-hand Complete",
      "once Complete",
    ]);
    await kubectl.prints("delete job once", 'job.batch "once" deleted');
    await kubectl.out("wait --for=delete pod -l job-name=once --timeout=30s");
    // The jobs of a CronJob are deleted with it.
    await kubectl.out("delete cronjob often");
    await kubectl.out("wait --for=delete job/by-hand --timeout=60s");
  });

  it.each([
    ["StatefulSet", "statefulset", { replicas: 2, serviceName: "x" }],
    ["DaemonSet", "daemonset", {}],
  ])("rolls a %s out, again and back", async (kind, word, spec) => {
    const { kubectl } = cluster;
    const name = `${word}/roll`;
    await create(workload(kind, "roll", spec));
    expect(await rolledOut(name)).toMatch(/roll/);
    await kubectl.prints(`set image ${name} c=example.com/app:2`, `${word}.apps/roll image updated`);
    await rolledOut(name);
    await kubectl.prints(`rollout history ${name}`, /^1 +<none>\n2 +<none>$/m);
    await kubectl.prints(`rollout undo ${name}`, `${word}.apps/roll rolled back`);
    await rolledOut(name);
    const images = "get pods -l app=roll -o jsonpath={.items[*].spec.containers[0].image}";
    await kubectl.prints(images, `${image} ${image}`);
    await kubectl.prints(`rollout restart ${name}`, `${word}.apps/roll restarted`);
    await rolledOut(name);
    await kubectl.prints(`rollout history ${name}`, /^2 +<none>\n3 +<none>\n4 +<none>$/m);
    await kubectl.prints(`delete ${name} --cascade=foreground --timeout=60s`, `${word}.apps "roll" deleted`);
    await kubectl.prints("get pods -l app=roll --no-headers --ignore-not-found", "");
  });

  it("cordons, taints and drains a node, as far as a budget lets it", async () => {
    const { kubectl } = cluster;
    await create(workload("Deployment", "held", { replicas: 2 }, { volumes: [{ name: "v", emptyDir: {} }] }));
    await create(workload("DaemonSet", "each"));
    await kubectl.out("create pdb held --selector=app=held --min-available=2");
    await rolledOut("deployment/held");
    await rolledOut("daemonset/each");
    await kubectl.out("wait --for=jsonpath={.status.currentHealthy}=2 pdb/held --timeout=30s");

    await kubectl.prints("taint nodes node2 dedicated=x:NoSchedule", "node/node2 tainted");
    await kubectl.prints("cordon node1", "node/node1 cordoned");
    await kubectl.prints("get node node1 --no-headers", /Ready,SchedulingDisabled/);
    await kubectl.out(`run waits --image=${image}`);
    await kubectl.out("wait --for=jsonpath={.status.conditions[0].reason}=Unschedulable pod/waits --timeout=30s");
    await kubectl.prints(
      "describe pod waits",
      /Warning\s+FailedScheduling\s+.*0\/2 nodes are available: 1 node\(s\) had untolerated taint[\s\S]*1 node\(s\) were unschedulable/,
    );
    await kubectl.prints("uncordon node1", "node/node1 uncordoned");
    await kubectl.out("wait --for=condition=Ready pod/waits --timeout=60s");
    await kubectl.prints("taint nodes node2 dedicated-", "node/node2 untainted");

    const busy = await kubectl.out("get pods -l app=held -o jsonpath={.items[0].spec.nodeName}");
    await kubectl.refuses(
      `drain ${busy}`,
      /cannot delete DaemonSet-managed Pods \(use --ignore-daemonsets to ignore\): work\/each-/,
    );
    await kubectl.refuses(
      `drain ${busy} --ignore-daemonsets --force`,
      /cannot delete Pods with local storage \(use --delete-emptydir-data to override\): work\/held-/,
    );
    await kubectl.refuses(
      `drain ${busy} --ignore-daemonsets --delete-emptydir-data --force --timeout=3s`,
      /Cannot evict pod as it would violate the pod's disruption budget/,
    );
    await kubectl.out(`patch pdb held -p '{"spec":{"minAvailable":1}}'`);
    await kubectl.prints(
      `drain ${busy} --ignore-daemonsets --delete-emptydir-data --force --timeout=60s`,
      new RegExp(`node/${busy} drained$`),
    );
    await rolledOut("deployment/held");
    await kubectl.prints(`get pods -l app=held --field-selector=spec.nodeName=${busy} -o name`, "");
    await kubectl.prints(`get pods -l app=each --field-selector=spec.nodeName=${busy} -o name`, /^pod\/each-/);
    await kubectl.prints(`uncordon ${busy}`, `node/${busy} uncordoned`);
    await kubectl.out("delete deployment/held daemonset/each pdb/held");
    await kubectl.out("delete pod waits --ignore-not-found");
  });

  it("orphans dependents if requested", async () => {
    const { kubectl } = cluster;
    await create(workload("Deployment", "left", { replicas: 1 }));
    await rolledOut("deployment/left");
    await kubectl.prints("delete deployment left --cascade=orphan", 'deployment.apps "left" deleted');
    await kubectl.out("wait --for=jsonpath={.status.readyReplicas}=1 rs -l app=left --timeout=30s");
    await kubectl.prints("get rs -l app=left -o jsonpath={.items[0].metadata.ownerReferences}", "");
    await kubectl.out("delete rs -l app=left");
    await kubectl.out("wait --for=delete pod -l app=left --timeout=60s");
  });

  it("follows the log of a container until it ends", async () => {
    const { kubectl } = cluster;
    const command = ["attune", "talk", "one", "two"];
    const pod = { metadata: { name: "talks" }, spec: { containers: [{ name: "c", image, command }] } };
    await create(JSON.stringify({ apiVersion: "v1", kind: "Pod", ...pod }));
    await kubectl.out("wait --for=condition=Ready pod/talks --timeout=30s");
    await kubectl.prints("logs talks --tail=1", "two");
    await kubectl.prints("logs talks -f --timestamps=false", "one\ntwo", {
      meanwhile: async () => void (await kubectl.out("delete pod talks --wait=false")),
    });
  });

  it("explains what a node without containers cannot do", async () => {
    const { kubectl } = cluster;
    await kubectl.out(`run mute --image=${image}`);
    await kubectl.out("wait --for=condition=Ready pod/mute --timeout=30s");
    await kubectl.refuses("top pods", "error: Metrics API not available");
    await kubectl.refuses("top nodes", "error: Metrics API not available");
    await writeFile(join(cluster.home, "f"), "x");
    for (const command of ["exec mute -- true", "attach mute", "port-forward pod/mute 0:80", "cp f mute:/f"])
      // The embedded server has no streams to containers; the real one asks a kubelet without containers.
      await kubectl.refuses(command, /is not served: this server opens no streams to containers|method not allowed/);
    await kubectl.out("delete pod mute");
  });

  it("applies a folder, shows what would change, and prunes what is no longer in it", async () => {
    const { kubectl } = cluster;
    const config = (name: string, value: string): string =>
      JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name, labels: { set: "s" } },
        data: { value },
      });
    const put = (name: string, text: string): Promise<void> => writeFile(join(cluster.home, `${name}.json`), text);
    await put("a", config("a", "1"));
    await put("b", config("b", "1"));
    await kubectl.prints("apply -f a.json -f b.json", "configmap/a created\nconfigmap/b created");
    await put("a", config("a", "2"));
    const { code, out } = await kubectl.run("diff -f a.json");
    expect({ code, out }).toEqual({ code: 1, out: expect.stringMatching(/^-\s+value: "1"\n\+\s+value: "2"$/m) });
    await kubectl.prints(
      "apply --prune -l set=s --prune-allowlist=core/v1/ConfigMap -f a.json",
      "configmap/a configured\nconfigmap/b pruned",
    );
    await kubectl.prints("diff -f a.json", "");
    for (const [type, patch, value] of [
      ["strategic", '{"data":{"value":"3"}}', "3"],
      ["merge", '{"data":{"value":"4"}}', "4"],
      ["json", '[{"op":"replace","path":"/data/value","value":"5"}]', "5"],
    ] as const) {
      await kubectl.prints(`patch configmap a --type=${type} -p '${patch}'`, "configmap/a patched");
      await kubectl.prints("get configmap a -o jsonpath={.data.value}", value);
    }
    await kubectl.prints("label configmap a x=y", "configmap/a labeled");
    await kubectl.prints("annotate configmap a x=y --overwrite", "configmap/a annotated");
    await kubectl.prints("label configmap a x-", "configmap/a unlabeled");
    await kubectl.prints("delete configmap -l set=s", 'configmap "a" deleted');
  });
}

onEachServer("everyday kubectl on a lab", (cluster) => everyday(cluster, startLabBeside));
if (process.env["ATTUNE_LONG"])
  onEachServer("everyday kubectl on a partitioned cluster", (cluster) => everyday(cluster, startPartitionedLab));
else console.log("not run: everyday kubectl on a partitioned cluster (only with ATTUNE_LONG)");
