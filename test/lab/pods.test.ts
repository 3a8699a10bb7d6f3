import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import type { Pod } from "../../src/embedded/lab/kubelet/pod/pod-admission.ts";
import { LabCluster, namespace, phase, virtualNode, type Lab } from "./lab-cluster.ts";

let cluster: LabCluster;
let lab: Lab;
const node = "n";
beforeAll(async () => {
  cluster = await LabCluster.start();
  const many = Array.from({ length: 4 }, (_, i) => `n${i}`);
  lab = cluster.kubelets([node, ...many]);
});
afterAll(async () => cluster?.close());

const conditions = ({ status }: Pod): Record<string, string> =>
  Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status, reason = "" }) => [type, `${status} ${reason}`.trim()]),
  );
const waiting = ({ status }: Pod): string | undefined => status?.containerStatuses?.[0]?.state?.waiting?.reason;
const restarts = ({ status }: Pod): number => status?.containerStatuses?.[0]?.restartCount ?? 0;
const annotated = (values: Record<string, string>) => ({
  annotations: Object.fromEntries(Object.entries(values).map(([word, value]) => [`lab.attune.dev/${word}`, value])),
});

describe("a pod", () => {
  test("becomes ready at once, with the status of a kubelet", async () => {
    await cluster.createPod({ name: "plain", node });
    const pod = await cluster.podThat("plain", phase("Running"));
    expect(conditions(pod)).toEqual({
      PodReadyToStartContainers: "True",
      Initialized: "True",
      Ready: "True",
      ContainersReady: "True",
      PodScheduled: "True",
    });
    expect(pod.status).toMatchObject({
      hostIP: "127.0.0.1",
      podIP: expect.stringMatching(/^10\./) as string,
      startTime: expect.any(String) as string,
      containerStatuses: [
        {
          name: "main",
          ready: true,
          started: true,
          restartCount: 0,
          image: "example.com/x:1",
          imageID: "attune://example.com/x:1",
          containerID: expect.stringMatching(/^attune:/) as string,
          state: { running: {} },
        },
      ],
    });
  });

  test("has its status written once, and not again without a change", async () => {
    await cluster.createPod({ name: "quiet", node });
    const before = await cluster.podThat("quiet", phase("Running"));
    await cluster.clock.advance(60_000);
    await cluster.createPod({ name: "quiet-2", node });
    await cluster.podThat("quiet-2", phase("Running"));
    expect((await cluster.pod("quiet"))?.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test("waits for its init containers, one after another, and keeps its sidecars", async () => {
    await cluster.createPod({
      name: "inits",
      node,
      initContainers: [
        { name: "first", image: "x" },
        { name: "side", image: "x", restartPolicy: "Always" },
        { name: "second", image: "x" },
      ],
    });
    const pod = await cluster.podThat("inits", phase("Running"));
    const states = pod.status?.initContainerStatuses?.map(({ name, state = {}, ready }) => [
      name,
      Object.keys(state)[0],
      ready,
    ]);
    expect(states).toEqual([
      ["first", "terminated", true],
      ["side", "running", true],
      ["second", "terminated", true],
    ]);
  });

  test("does not start while an init container fails, and fails with restartPolicy Never", async () => {
    const fields = {
      node,
      metadata: annotated({ "init-exit-code": "3" }),
      initContainers: [{ name: "first", image: "x" }],
    };
    await cluster.createPod({ name: "init-crash", ...fields });
    const pod = await cluster.podThat(
      "init-crash",
      ({ status }) => status?.initContainerStatuses?.[0]?.state?.waiting?.reason === "CrashLoopBackOff",
    );
    expect(pod.status?.phase).toBe("Pending");
    expect(waiting(pod)).toBe("PodInitializing");
    expect(conditions(pod)["Initialized"]).toBe("False ContainersNotInitialized");
    await cluster.createPod({ name: "init-fail", ...fields, restartPolicy: "Never" });
    const failed = await cluster.podThat("init-fail", phase("Failed"));
    expect(failed.status?.initContainerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 3,
      reason: "Error",
    });
  });

  test("that crashes is restarted with a backoff of up to five minutes", async () => {
    await cluster.createPod({ name: "crash", node, metadata: annotated({ "exit-code": "7", message: "boom" }) });
    let pod = await cluster.podThat("crash", (pod) => waiting(pod) === "CrashLoopBackOff");
    expect(restarts(pod)).toBe(1);
    expect(pod.status?.phase).toBe("Running");
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 7, message: "boom" });
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      `back-off 10s restarting failed container=main pod=crash_work(${pod.metadata.uid})`,
    );
    for (const [seconds, text] of [
      [10, "20s"],
      [20, "40s"],
      [40, "1m20s"],
      [80, "2m40s"],
      [160, "5m0s"],
      [300, "5m0s"],
    ] as const) {
      const before = restarts(pod);
      await cluster.clock.advance(seconds * 1000 - 1);
      expect(restarts((await cluster.pod("crash"))!)).toBe(before);
      await cluster.clock.advance(1);
      pod = await cluster.podThat("crash", (pod) => restarts(pod) === before + 1);
      expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toContain(`back-off ${text} `);
    }
  });

  test("is ready and ends as its annotations say", async () => {
    await cluster.createPod({
      name: "annotated",
      node,
      metadata: annotated({ ready: "false" }),
      restartPolicy: "Never",
    });
    const pod = await cluster.podThat("annotated", phase("Running"));
    expect(conditions(pod)["Ready"]).toBe("False ContainersNotReady");
    const annotate = (values: Record<string, string>) =>
      cluster.admin.patch(
        kinds.pod,
        "annotated",
        { type: "merge", patch: { metadata: annotated(values) } },
        { namespace },
      );
    await annotate({ ready: "true" });
    await cluster.podThat("annotated", (pod) => conditions(pod)["Ready"] === "True");
    await annotate({ "exit-code": "2" });
    const failed = await cluster.podThat("annotated", phase("Failed"));
    expect(conditions(failed)).toMatchObject({ Ready: "False PodFailed", ContainersReady: "False PodFailed" });
  });

  test("of a Job succeeds at once, or after its run time", async () => {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "x" }] } };
    const { metadata: job } = await cluster.admin.create(kinds.job, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j", namespace },
      spec: { template },
    });
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: job.uid ?? "", controller: true };
    await cluster.createPod({ name: "job", node, metadata: { ownerReferences: [owner] }, restartPolicy: "Never" });
    const pod = await cluster.podThat("job", phase("Succeeded"));
    expect(conditions(pod)).toMatchObject({ Initialized: "True PodCompleted", Ready: "False PodCompleted" });
    const metadata = { ownerReferences: [owner], ...annotated({ "run-seconds": "60" }) };
    await cluster.createPod({ name: "long-job", node, metadata, restartPolicy: "OnFailure" });
    await cluster.podThat("long-job", phase("Running"));
    await cluster.clock.advance(59_000);
    expect((await cluster.pod("long-job"))?.status?.phase).toBe("Running");
    await cluster.clock.advance(1000);
    await cluster.podThat("long-job", phase("Succeeded"));
  });

  test("fails when it exceeds activeDeadlineSeconds", async () => {
    await cluster.createPod({ name: "late", node, activeDeadlineSeconds: 100 });
    await cluster.podThat("late", phase("Running"));
    await cluster.clock.advance(100_000);
    const pod = await cluster.podThat("late", phase("Failed"));
    expect(pod.status?.reason).toBe("DeadlineExceeded");
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(143);
  });

  test("is ready only when its readiness gates are True", async () => {
    await cluster.createPod({ name: "gated", node, readinessGates: [{ conditionType: "example.com/open" }] });
    const pod = await cluster.podThat("gated", phase("Running"));
    expect(conditions(pod)).toMatchObject({ ContainersReady: "True", Ready: "False ReadinessGatesNotReady" });
    const patch = { status: { conditions: [{ type: "example.com/open", status: "True" }] } };
    await cluster.admin.patch(kinds.pod, "gated", { type: "strategic", patch }, { namespace, subresource: "status" });
    const open = await cluster.podThat("gated", (pod) => conditions(pod)["Ready"] === "True");
    expect(conditions(open)["example.com/open"]).toBe("True");
  });

  test.each([
    [
      "more cpu than there is",
      { containers: [{ name: "main", image: "x", resources: { requests: { cpu: "5" } } }] },
      "OutOfcpu",
    ],
    ["another node's labels", { nodeSelector: { "example.com/x": "y" } }, "NodeAffinity"],
    ["another system", { os: { name: "windows" } }, "PodOSNotSupported"],
  ])("that wants %s is turned away", async (what, spec, reason) => {
    const name = what.replaceAll(/\W/g, "-");
    await cluster.createPod({ name, node, ...spec });
    const pod = await cluster.podThat(name, phase("Failed"));
    expect(pod.status).toMatchObject({ reason, message: expect.stringMatching(/^Pod was rejected: /) as string });
    expect(pod.status?.containerStatuses).toBeUndefined();
    await cluster.admin.delete(kinds.pod, name, { namespace });
    await cluster.gone(name);
  });

  test("frees its resources when it is deleted", async () => {
    const containers = [{ name: "main", image: "x", resources: { requests: { cpu: "3" } } }];
    await cluster.createPod({ name: "big-1", node: "n1", containers });
    await cluster.podThat("big-1", phase("Running"));
    await cluster.createPod({ name: "big-2", node: "n1", containers });
    await cluster.podThat("big-2", phase("Failed"));
    await cluster.admin.delete(kinds.pod, "big-1", { namespace });
    await cluster.gone("big-1");
    await cluster.createPod({ name: "big-3", node: "n1", containers });
    await cluster.podThat("big-3", phase("Running"));
  });

  test("waits for a ConfigMap in its environment or its volumes", async () => {
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "needed", key: "a" } } }];
    await cluster.createPod({ name: "env", node, containers: [{ name: "main", image: "x", env }] });
    const volumes = [{ name: "v", configMap: { name: "needed" } }];
    await cluster.createPod({ name: "mount", node, volumes });
    const pod = await cluster.podThat("env", (pod) => waiting(pod) === "CreateContainerConfigError");
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting?.message).toBe('configmap "needed" not found');
    await cluster.podThat("mount", (pod) => waiting(pod) === "ContainerCreating");
    const configMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "needed", namespace },
      data: { a: "1" },
    };
    await cluster.admin.create(kinds.configMap, configMap);
    await cluster.clock.advance(5000);
    await cluster.podThat("env", phase("Running"));
    await cluster.podThat("mount", phase("Running"));
  });

  test("is deleted, also after its end or before its start", async () => {
    for (const [name, metadata] of [
      ["goes", {}],
      ["ended", annotated({ "exit-code": "0" })],
    ] as const) {
      await cluster.createPod({ name, node, metadata, restartPolicy: "Never" });
      await cluster.podThat(name, ({ status }) => status?.phase !== "Pending");
      await cluster.admin.delete(kinds.pod, name, { namespace });
      await cluster.gone(name);
    }
    await cluster.createPod({ name: "hasty", node });
    await cluster.admin.delete(kinds.pod, "hasty", { namespace });
    await cluster.gone("hasty");
  });

  test("with a finalizer gets its final status, and is deleted without the finalizer", async () => {
    await cluster.createPod({ name: "held", node, metadata: { finalizers: ["example.com/hold"] } });
    await cluster.podThat("held", phase("Running"));
    await cluster.admin.delete(kinds.pod, "held", { namespace });
    const pod = await cluster.podThat("held", phase("Failed"));
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(143);
    await cluster.podThat("held", ({ metadata }) => metadata.deletionGracePeriodSeconds === 0);
    await cluster.admin.patch(
      kinds.pod,
      "held",
      { type: "merge", patch: { metadata: { finalizers: null } } },
      { namespace },
    );
    await cluster.gone("held");
  });

  test("of the same name is started anew", async () => {
    const first = await cluster.createPod({ name: "again", node });
    await cluster.podThat("again", phase("Running"));
    await cluster.admin.delete(kinds.pod, "again", { namespace, gracePeriodSeconds: 0 });
    await cluster.createPod({ name: "again", node });
    const second = await cluster.podThat("again", phase("Running"));
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });

  test("fails while a file on its node overrides it", async () => {
    const file = `/var/lib/attune-lab/fail/${namespace}_web`;
    await cluster.createPod({ name: "web-1", node: "n2", metadata: { labels: { app: "web" } } });
    await cluster.podThat("web-1", phase("Running"));
    const host = lab.nodes.get("n2")!.host;
    await host.write(file, "exit-code: 9\nmessage: disk is full\n");
    await cluster.clock.advance(10_000);
    const pod = await cluster.podThat("web-1", (pod) => waiting(pod) === "CrashLoopBackOff");
    expect(pod.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      exitCode: 9,
      message: "disk is full",
    });
    await host.remove(file);
    await cluster.clock.advance(30_000);
    await cluster.podThat("web-1", (pod) => conditions(pod)["Ready"] === "True");
  });

  test("continues from its status after a restart of the lab", async () => {
    const first = cluster.kubelets([virtualNode("restart")]);
    await cluster.createPod({ name: "survivor", node: "restart" });
    const before = await cluster.podThat("survivor", phase("Running"));
    await first.stop();
    await cluster.createPod({ name: "meanwhile", node: "restart" });
    cluster.kubelets([virtualNode("restart")]);
    await cluster.podThat("meanwhile", phase("Running"));
    expect((await cluster.pod("survivor"))?.status).toEqual(before.status);
    await cluster.admin.delete(kinds.pod, "survivor", { namespace });
    await cluster.gone("survivor");
  });
});
