import { describe, expect, it } from "vitest";
import { qosClass } from "../../../language/cpu/qos-class.ts";
import type { Container, Pod, PodSpec } from "./gated-pod.ts";
import { injectGate } from "./inject-gate.ts";

const image = "example.com/attune:1";
const amounts = { cpu: "4", memory: "8Gi" };
const guaranteed = { resources: { requests: amounts, limits: amounts } };

function podOf(spec: Partial<PodSpec>, annotations?: Record<string, string>): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "scylla-0",
      namespace: "db",
      labels: { "scylla-operator.scylladb.com/pod-type": "scylladb-node" },
      ...(annotations ? { annotations } : {}),
    },
    spec: { containers: [{ name: "scylla", image: "scylla" }], ...spec },
  };
}
const database = (more: object, annotations?: Record<string, string>): Pod =>
  podOf({ containers: [{ name: "scylla", image: "scylla", ...more }] }, annotations);

function injected(pod: Pod): Pod & { spec: PodSpec } {
  const injection = injectGate(pod, image);
  if (injection.type !== "changed") throw new Error(JSON.stringify(injection));
  return injection.pod as Pod & { spec: PodSpec };
}
const part = (pod: Pod, name: string): Container | undefined => pod.spec?.containers.find((one) => one.name === name);

describe("the gate of a database's pod", () => {
  it("is a sidecar, two volumes, and a wait in front of the command", () => {
    const { spec } = injected(database({ command: ["/scylla"], args: ["--smp", "4"], ...guaranteed }));
    const [scylla, sidecar] = spec.containers;
    expect(scylla).toMatchObject({
      name: "scylla",
      args: ["--smp", "4"],
      volumeMounts: [{ name: "attune-scylla-gate", mountPath: "/attune-scylla-gate" }],
    });
    expect(scylla?.command?.toSpliced(2, 1)).toEqual([
      "/bin/sh",
      "-c",
      "attune-scylla-wait",
      "/attune-scylla-gate",
      "/scylla",
    ]);
    expect(sidecar).toMatchObject({
      name: "attune-scylla-gate",
      image,
      command: ["attune", "scylla-gate"],
      args: ["--folder", "/run/attune-scylla-gate"],
      volumeMounts: [
        { name: "attune-scylla-gate", mountPath: "/run/attune-scylla-gate" },
        { name: "attune-scylla-gate-token", readOnly: true },
      ],
    });
    expect(spec.volumes?.map(({ name }) => name)).toEqual(["attune-scylla-gate", "attune-scylla-gate-token"]);
  });

  it.each([
    ["its command", { command: ["/a", "-b"], args: ["c"] }, ["/a", "-b"]],
    ["the program of the Scylla image, if it has only arguments", { args: ["--smp", "1"] }, ["/docker-entrypoint.py"]],
    ["the program of the Scylla image, if it has neither", {}, ["/docker-entrypoint.py"]],
  ])("waits in front of %s", (_, container, behind) => {
    expect(part(injected(database(container)), "scylla")?.command?.slice(5)).toEqual(behind);
  });

  it.each([
    ["/run.sh", ["/run.sh"]],
    ['["/usr/bin/python3","/start.py"]', ["/usr/bin/python3", "/start.py"]],
  ])("waits in front of the entrypoint that an annotation names: %s", (text, behind) => {
    const pod = database({ args: ["x"] }, { "scylla.attune.dev/entrypoint": text });
    expect(part(injected(pod), "scylla")?.command?.slice(5)).toEqual(behind);
  });

  it("says for how long, if an annotation does", () => {
    const pod = injected(database({}, { "scylla.attune.dev/gate-timeout": "30m" }));
    expect(part(pod, "attune-scylla-gate")?.args?.slice(-2)).toEqual(["--timeout", "30m"]);
  });

  it.each([
    ["scylla.attune.dev/entrypoint", "run.sh"],
    ["scylla.attune.dev/entrypoint", "[]"],
    ["scylla.attune.dev/entrypoint", '["a", 1]'],
    ["scylla.attune.dev/gate-timeout", "0m"],
    ["scylla.attune.dev/gate-timeout", "soon"],
    ["scylla.attune.dev/gate-timeout", ""],
  ])("is refused with annotation %s: %j", (key, value) => {
    expect(injectGate(database({}, { [key]: value }), image)).toMatchObject({
      type: "refused",
      field: `metadata.annotations[${key}]`,
    });
  });

  it.each([
    ["without the label", { ...podOf({}), metadata: { name: "x" } }, "has no container scylla"],
    ["without a container scylla", podOf({ containers: [{ name: "db" }] }), "has no container scylla"],
    ["of Windows", podOf({ os: { name: "windows" } }), "runs on Windows"],
    ["that shows a static pod", podOf({}, { "kubernetes.io/config.mirror": "x" }), "is a static pod"],
  ])("is not for a pod %s", (_, pod, reason) => {
    expect(injectGate(pod, image)).toEqual({ type: "unchanged", reason });
  });
});

describe("the gate and the class of its pod", () => {
  const sizes: [string, Partial<PodSpec>, object | undefined][] = [
    ["Guaranteed", { containers: [{ name: "scylla", ...guaranteed }] }, { limits: { cpu: "10m", memory: "128Mi" } }],
    [
      "Guaranteed",
      {
        containers: [
          { name: "scylla", ...guaranteed },
          { name: "agent", ...guaranteed },
        ],
        initContainers: [{ name: "i", ...guaranteed }],
      },
      { limits: { cpu: "10m", memory: "128Mi" } },
    ],
    [
      "Burstable",
      {
        containers: [
          { name: "scylla", ...guaranteed },
          { name: "agent", resources: { requests: { cpu: "50m" } } },
        ],
      },
      { requests: { cpu: "10m", memory: "128Mi" } },
    ],
    ["BestEffort", { containers: [{ name: "scylla" }] }, undefined],
  ];
  it.each(sizes)("a %s pod stays one", (qos, spec, resources) => {
    const pod = podOf(spec);
    expect(qosClass(pod.spec ?? {})).toBe(qos);
    const gated = injected(pod);
    expect(qosClass(gated.spec)).toBe(qos);
    const own = part(gated, "attune-scylla-gate")?.resources;
    if (resources) expect(own).toMatchObject(resources);
    else expect(own).toBeUndefined();
  });

  it("takes its share of resources that the pod has as a whole", () => {
    const pod = podOf({ containers: [{ name: "scylla" }], resources: { limits: amounts, requests: amounts } });
    expect(part(injected(pod), "attune-scylla-gate")?.resources).toBeUndefined();
  });
});

describe("the sidecar's privileges", () => {
  it("are those of Pod Security restricted", () => {
    expect(part(injected(database({})), "attune-scylla-gate")?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
  });

  it.each([
    [0, 65532],
    [999, undefined],
    [undefined, undefined],
  ])("do not come from a pod whose user is %s", (runAsUser, user) => {
    const pod = podOf(runAsUser === undefined ? {} : { securityContext: { runAsUser } });
    expect(part(injected(pod), "attune-scylla-gate")?.securityContext?.runAsUser).toBe(user);
  });
});

describe("probes of a database that waits", () => {
  const http = { httpGet: { path: "/healthz", port: 8080 } };
  it.each([
    [
      "its startup probe gets half an hour more",
      { startupProbe: { ...http, failureThreshold: 40 }, livenessProbe: http },
      { ...http, failureThreshold: 220 },
    ],
    [
      "its liveness probe is first a startup probe",
      { livenessProbe: { ...http, periodSeconds: 60, initialDelaySeconds: 300 } },
      { ...http, periodSeconds: 60, initialDelaySeconds: 300, failureThreshold: 33 },
    ],
    ["a readiness probe restarts nothing", { readinessProbe: http }, undefined],
  ])("%s", (_, probes, startupProbe) => {
    const scylla = part(injected(database(probes)), "scylla");
    expect(scylla).toMatchObject(
      Object.fromEntries(Object.entries(probes).filter(([name]) => name !== "startupProbe")),
    );
    expect(scylla?.startupProbe).toEqual(startupProbe);
  });
});

describe("a gate that is there", () => {
  const pods: Pod[] = [
    database({ command: ["/scylla"], args: ["x"], ...guaranteed, livenessProbe: { periodSeconds: 5 } }),
    database({ args: ["x"], startupProbe: {}, volumeMounts: [{ name: "data", mountPath: "/var/lib/scylla" }] }),
    podOf({
      volumes: [{ name: "attune-scylla-gate" }],
      containers: [{ name: "attune-scylla-gate" }, { name: "scylla" }],
    }),
  ];
  it.each(pods.map((pod, index) => [index, pod] as const))(
    "stays as it is when the webhook is asked again (%i)",
    (_, pod) => {
      const once = injected(pod);
      expect(injected(once)).toEqual(once);
    },
  );

  it("is replaced by that of the operator's version", () => {
    const old = injected(pods[0] as Pod);
    const injection = injectGate(old, "example.com/attune:2");
    expect(injection).toMatchObject({ type: "changed" });
    const { spec } = (injection as { pod: Pod }).pod;
    expect(spec?.containers.map((one) => [one.name, one["image"]])).toEqual([
      ["scylla", "scylla"],
      ["attune-scylla-gate", "example.com/attune:2"],
    ]);
    expect(spec?.volumes).toHaveLength(2);
  });

  it("keeps clear of names and paths that the pod's author chose", () => {
    const { spec } = injected(
      podOf({
        volumes: [
          { name: "attune-scylla-gate" },
          { name: "attune-scylla-gate-1" },
          { name: "attune-scylla-gate-token" },
        ],
        initContainers: [{ name: "attune-scylla-gate-1" }],
        containers: [
          { name: "attune-scylla-gate", command: ["other"] },
          { name: "scylla", volumeMounts: [{ name: "attune-scylla-gate", mountPath: "/attune-scylla-gate/" }] },
        ],
      }),
    );
    expect(spec.volumes?.slice(3).map(({ name }) => name)).toEqual([
      "attune-scylla-gate-2",
      "attune-scylla-gate-token-1",
    ]);
    expect(spec.containers.map(({ name }) => name)).toEqual(["attune-scylla-gate", "scylla", "attune-scylla-gate-2"]);
    const scylla = spec.containers[1];
    expect(scylla?.volumeMounts?.[1]).toEqual({ name: "attune-scylla-gate-2", mountPath: "/attune-scylla-gate-1" });
    expect(scylla?.command?.[4]).toBe("/attune-scylla-gate-1");
  });
});
