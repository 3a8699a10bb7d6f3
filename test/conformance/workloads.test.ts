import { afterAll, beforeAll, expect, it } from "vitest";
import { onEachServer } from "./on-each-server.ts";
import { startWorkloadControllers } from "./workload-controllers.ts";

const template = (app: string, image: string): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image }] },
});
const deployment = (app: string, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: app },
    spec: { replicas: 2, selector: { matchLabels: { app } }, template: template(app, "one"), ...spec },
  });
const statefulSet = (app: string, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: app },
    spec: {
      replicas: 2,
      serviceName: app,
      selector: { matchLabels: { app } },
      template: template(app, "one"),
      ...spec,
    },
  });
const job = (name: string, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "one" }] } }, ...spec },
  });

onEachServer("workloads", (cluster) => {
  let stop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    stop = await startWorkloadControllers(cluster.variant, cluster.server);
  });
  afterAll(() => stop?.());

  const images = async (app: string): Promise<string[]> => {
    const out = await cluster.kubectl.out(`get pods -l app=${app} -o jsonpath={.items[*].spec.containers[0].image}`);
    return out.split(" ").toSorted();
  };
  const status = (name: string): Promise<string> => cluster.kubectl.out(`rollout status ${name} --timeout=60s`);

  it("rolls a Deployment out, shows its history, and rolls it back", async () => {
    const { kubectl } = cluster;
    await kubectl.prints("create -f -", "deployment.apps/web created", { stdin: deployment("web") });
    expect(await status("deployment/web")).toMatch(/deployment "web" successfully rolled out$/);
    await kubectl.prints(
      "wait --for=condition=Available deployment/web --timeout=30s",
      "deployment.apps/web condition met",
    );
    await kubectl.prints("set image deployment/web c=two", "deployment.apps/web image updated");
    await kubectl.out(`annotate deployment/web kubernetes.io/change-cause=second`);
    expect(await status("deployment/web")).toMatch(/successfully rolled out$/);
    await kubectl.prints("get deployment web --no-headers", /^web +2\/2 +2 +2 +\S+$/);
    await kubectl.prints("rollout history deployment/web", /^1 +<none>\n2 +second$/m);
    await kubectl.prints("rollout history deployment/web --revision=1", /Image:\s+one/);
    await kubectl.prints("rollout undo deployment/web", "deployment.apps/web rolled back");
    expect(await status("deployment/web")).toMatch(/successfully rolled out$/);
    await kubectl.prints("rollout history deployment/web", /^2 +second\n3 +<none>$/m);
    await kubectl.out("wait --for=delete pod -l app=web,!pod-template-hash --timeout=30s");
    expect(await images("web")).toEqual(["one", "one"]);
    await kubectl.prints("rollout restart deployment/web", "deployment.apps/web restarted");
    expect(await status("deployment/web")).toMatch(/successfully rolled out$/);
  });

  it("scales a Deployment, and does not roll out while it is paused", async () => {
    const { kubectl } = cluster;
    await kubectl.out("create -f -", { stdin: deployment("still") });
    await status("deployment/still");
    await kubectl.prints("rollout pause deployment/still", "deployment.apps/still paused");
    await kubectl.out("set image deployment/still c=two");
    await kubectl.prints("scale deployment/still --replicas=4", "deployment.apps/still scaled");
    await kubectl.out("wait --for=jsonpath={.status.availableReplicas}=4 deployment/still --timeout=30s");
    expect(await images("still")).toEqual(["one", "one", "one", "one"]);
    await kubectl.prints(
      `get deployment still -o 'jsonpath={.status.conditions[?(@.type=="Progressing")].reason}'`,
      "DeploymentPaused",
    );
    await kubectl.prints("rollout resume deployment/still", "deployment.apps/still resumed");
    expect(await status("deployment/still")).toMatch(/successfully rolled out$/);
    await kubectl.out("scale deployment/still --replicas=0");
    await kubectl.out("wait --for=delete pod -l app=still --timeout=30s");
    await expect.poll(() => kubectl.out("get deployment still --no-headers")).toMatch(/^still +0\/0 +0 +0 +\S+$/);
  });

  it("reports a rollout that does not progress", async () => {
    const { kubectl } = cluster;
    await kubectl.out("create -f -", { stdin: deployment("stuck", { progressDeadlineSeconds: 3 }) });
    await status("deployment/stuck");
    await kubectl.out("set image deployment/stuck c=broken");
    await kubectl.refuses(
      "rollout status deployment/stuck --timeout=60s",
      'error: deployment "stuck" exceeded its progress deadline',
    );
    expect(await kubectl.json("get deployment stuck")).toMatchObject({
      status: { replicas: 3, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 1, unavailableReplicas: 1 },
    });
    await kubectl.out("rollout undo deployment/stuck");
    expect(await status("deployment/stuck")).toMatch(/successfully rolled out$/);
  });

  it("replaces all pods at once with strategy Recreate", async () => {
    const { kubectl } = cluster;
    await kubectl.out("create -f -", { stdin: deployment("anew", { strategy: { type: "Recreate" } }) });
    await status("deployment/anew");
    await kubectl.out("set image deployment/anew c=two");
    expect(await status("deployment/anew")).toMatch(/successfully rolled out$/);
    expect(await images("anew")).toEqual(["two", "two"]);
  });

  it("adopts pods that a ReplicaSet selects, and releases others", async () => {
    const { kubectl } = cluster;
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "stray", labels: { app: "few" } } };
    await kubectl.out("create -f -", {
      stdin: JSON.stringify({ ...pod, spec: { containers: [{ name: "c", image: "one" }] } }),
    });
    const replicaSet = { ...(JSON.parse(deployment("few")) as object), kind: "ReplicaSet" };
    await kubectl.prints("create -f -", "replicaset.apps/few created", { stdin: JSON.stringify(replicaSet) });
    await kubectl.out("wait --for=jsonpath={.status.readyReplicas}=2 replicaset/few --timeout=30s");
    await kubectl.prints("get pod stray -o jsonpath={.metadata.ownerReferences[0].kind}", "ReplicaSet");
    await kubectl.out("label pod stray app=none --overwrite");
    await kubectl.out("wait --for=jsonpath={.status.fullyLabeledReplicas}=2 replicaset/few --timeout=30s");
    await kubectl.out("wait --for=create pod -l app=few --timeout=30s");
    await kubectl.prints("get pod stray -o jsonpath={.metadata.ownerReferences}", "");
  });

  it("gives the pods of a StatefulSet their names and claims, and updates them in order", async () => {
    const { kubectl } = cluster;
    const claim = {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    };
    await kubectl.prints("create -f -", "statefulset.apps/db created", {
      stdin: statefulSet("db", { volumeClaimTemplates: [claim] }),
    });
    const rolledOut = /partitioned roll out complete: 2 new pods have been updated\.\.\.$/m;
    expect(await status("statefulset/db")).toMatch(rolledOut);
    await kubectl.prints("get pods -l app=db -o name", "pod/db-0\npod/db-1");
    await kubectl.prints("get pvc -o name", "persistentvolumeclaim/data-db-0\npersistentvolumeclaim/data-db-1");
    await kubectl.out("set image statefulset/db c=two");
    expect(await status("statefulset/db")).toMatch(rolledOut);
    expect(await images("db")).toEqual(["two", "two"]);
    await kubectl.prints("rollout history statefulset/db", /^1 +<none>\n2 +<none>$/m);
    await kubectl.prints("rollout undo statefulset/db", "statefulset.apps/db rolled back");
    await status("statefulset/db");
    expect(await images("db")).toEqual(["one", "one"]);
    await kubectl.out("scale statefulset/db --replicas=1");
    await kubectl.out("wait --for=delete pod/db-1 --timeout=30s");
    await expect.poll(() => kubectl.out("get statefulset db --no-headers")).toMatch(/^db +1\/1 +\S+$/);
  });

  it("runs Jobs to their end", async () => {
    const { kubectl } = cluster;
    const stdin = [
      job("sum", { completions: 3, parallelism: 2 }),
      job("each", { completions: 3, parallelism: 3, completionMode: "Indexed" }),
      job("later", { suspend: true }),
    ].join("\n");
    await kubectl.prints("create -f -", "job.batch/sum created\njob.batch/each created\njob.batch/later created", {
      stdin,
    });
    await kubectl.prints(
      "wait --for=condition=Complete job/sum job/each --timeout=60s",
      "job.batch/sum condition met\njob.batch/each condition met",
    );
    await kubectl.prints(
      "get jobs sum each --no-headers",
      /^sum +Complete +3\/3 +\S+ +\S+\neach +Complete +3\/3 +\S+ +\S+$/,
    );
    await kubectl.prints("get job each -o jsonpath={.status.completedIndexes}", "0-2");
    await kubectl.out("wait --for=condition=Suspended job/later --timeout=30s");
    await kubectl.out(`patch job later --type=merge -p '{"spec":{"suspend":false}}'`);
    await kubectl.out("wait --for=condition=Complete job/later --timeout=60s");
    await kubectl.prints(
      "get pods -l batch.kubernetes.io/job-name=sum -o jsonpath={.items[*].metadata.finalizers}",
      "",
    );
  });

  it("ends a Job that takes too long", async () => {
    const { kubectl } = cluster;
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "broken" }] } };
    await kubectl.out("create -f -", { stdin: job("slow", { activeDeadlineSeconds: 1, template }) });
    await kubectl.out("wait --for=condition=Failed job/slow --timeout=60s");
    await kubectl.prints(
      "get job slow -o jsonpath={.status.failed},{.status.conditions[*].reason}",
      "1,DeadlineExceeded DeadlineExceeded",
    );
  });
});
