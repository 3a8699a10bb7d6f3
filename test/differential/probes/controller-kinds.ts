import type { Probe, Step } from "../probe.ts";
import { apply, get, merge, namespace, post, put, remove, table } from "./wire.ts";

const space = "controllers";
const inSpace = (group: string, plural: string): string =>
  `${group === "v1" ? "/api" : "/apis"}/${group}/namespaces/${space}/${plural}`;
const pods = { containers: [{ name: "c", image: "i" }] };

const cronJobs = inSpace("batch/v1", "cronjobs");
const jobs = { spec: { template: { spec: { ...pods, restartPolicy: "Never" } } } };
const cronJob = (spec: object, name = "c"): object => ({
  metadata: { name },
  spec: { schedule: "* * * * *", jobTemplate: jobs, ...spec },
});
const schedules = [
  "",
  "* * * *",
  "* * * * * *",
  "@hourly",
  "@every 1h30m",
  "@every x",
  "@odd",
  "*/5 1-5 1,15 jan-MAR mon",
  "60 * * * *",
  "5-1 * * * *",
  "* * 0 * *",
  "*/0 * * * *",
  "1-2-3 * * * *",
  "*/2/3 * * * *",
  "x * * * *",
  "-1 * * * *",
  "* * * * 7",
  "5/10 , ? * 3-fri",
  "TZ=UTC * * * * *",
];
const crons: readonly object[] = [
  {},
  ...schedules.map((schedule) => ({ schedule })),
  ...["UTC", "Europe/Berlin", "", "Odd/Zone", "../x", "Local", "-x"].map((timeZone) => ({ timeZone })),
  { concurrencyPolicy: "Odd", startingDeadlineSeconds: -1 },
  { successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 },
  { jobTemplate: {} },
  { jobTemplate: { spec: { template: { spec: pods } } } },
  { jobTemplate: { spec: { ...jobs.spec, selector: { matchLabels: { a: "b" } }, manualSelector: true } } },
  { jobTemplate: { spec: { ...jobs.spec, completionMode: "Indexed", parallelism: -1 } } },
  { jobTemplate: { spec: { ...jobs.spec, backoffLimitPerIndex: 1, podReplacementPolicy: "Odd" } } },
  {
    jobTemplate: {
      spec: {
        ...jobs.spec,
        podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "Ready" }] }] },
      },
    },
  },
];

const controllers = inSpace("v1", "replicationcontrollers");
const template = { metadata: { labels: { a: "b" } }, spec: pods };
const controller = (spec: object, name = "r"): object => ({ metadata: { name }, spec });
const replications: readonly object[] = [
  {},
  { template },
  { template, selector: { c: "d" }, replicas: -1, minReadySeconds: -1 },
  { template: { spec: pods } },
  { template: { ...template, spec: { ...pods, restartPolicy: "Never", activeDeadlineSeconds: 5 } } },
];

const autoscalers = inSpace("autoscaling/v2", "horizontalpodautoscalers");
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const autoscaler = (spec: object, name = "h"): object => ({
  metadata: { name },
  spec: { scaleTargetRef, maxReplicas: 3, ...spec },
});
const metric = { name: "m" };
const average = { type: "AverageValue", averageValue: "5" };
const aside = "who owns a field in one version goes on owning it when it is changed in the other";
const several: readonly object[] = [
  { type: "Pods", pods: { metric, target: average } },
  { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 5 } } },
  { type: "External", external: { metric: { name: "e" }, target: { type: "Value", value: "7" } } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "c", target: average } },
  { type: "Object", object: { describedObject: scaleTargetRef, metric, target: { type: "Value", value: "2" } } },
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
];
const scalings: readonly object[] = [
  {},
  { minReplicas: 0, maxReplicas: 0 },
  { minReplicas: 4 },
  { scaleTargetRef: { kind: "", name: "a/b", apiVersion: "a/b/c" } },
  { metrics: [{ type: "Odd" }] },
  { metrics: [{ type: "" }] },
  { metrics: [{ type: "Resource" }] },
  { metrics: [{ type: "Resource", resource: { name: "cpu", target: {} } }] },
  { metrics: [{ type: "Resource", resource: { name: "", target: { ...average, averageUtilization: 0 } } }] },
  { metrics: [{ type: "Pods", pods: { metric, target: { type: "Value", value: "0" } } }] },
  { metrics: [{ type: "Pods", pods: { metric: { name: "a/b" }, target: average } }] },
  { metrics: [{ type: "External", external: { metric, target: { ...average, value: "-1" } } }] },
  { metrics: [{ type: "Object", object: { describedObject: scaleTargetRef, metric, target: { type: "Value" } } }] },
  {
    metrics: [{ type: "Pods", pods: { metric, target: average }, resource: { name: "cpu", target: average } }],
  },
  {
    metrics: [{ type: "ContainerResource", containerResource: { name: "cpu", container: "C", target: average } }],
  },
  { behavior: {} },
  { behavior: { scaleUp: { stabilizationWindowSeconds: -1, selectPolicy: "Odd" } } },
  { behavior: { scaleDown: { stabilizationWindowSeconds: 3601, tolerance: "-1" } } },
  { behavior: { scaleDown: { policies: [{ type: "Odd", value: 0, periodSeconds: 1801 }] } } },
];

const storage = (plural: string): string => `/apis/storage.k8s.io/v1/${plural}`;
const named = (name: string, fields: object): object => ({ metadata: { name }, ...fields });
const attachments = storage("volumeattachments");
const attached = { attacher: "d.example", nodeName: "n", source: { persistentVolumeName: "v" } };
const inline = { accessModes: ["ReadWriteOnce"], csi: { driver: "d.example", volumeHandle: "h" } };
const attachings: readonly object[] = [
  {},
  attached,
  { ...attached, attacher: "Odd_", nodeName: "" },
  { ...attached, source: {} },
  { ...attached, source: { persistentVolumeName: "" } },
  { ...attached, source: { persistentVolumeName: "A" } },
  { ...attached, source: { persistentVolumeName: "v", inlineVolumeSpec: inline } },
  { ...attached, source: { inlineVolumeSpec: inline } },
  { ...attached, source: { inlineVolumeSpec: { capacity: { storage: "1" }, storageClassName: "s" } } },
  { ...attached, source: { inlineVolumeSpec: { ...inline, volumeMode: "Block", csi: {} } } },
];

const drivers = storage("csidrivers");
const token = (audience: string, expirationSeconds?: number): object => ({ audience, expirationSeconds });
const drives: readonly object[] = [
  {},
  { attachRequired: false, volumeLifecycleModes: ["Ephemeral", "Persistent"], tokenRequests: [token("a", 600)] },
  { fsGroupPolicy: "Odd", volumeLifecycleModes: ["Odd"], nodeAllocatableUpdatePeriodSeconds: 5 },
  { tokenRequests: [token("a", 1), token("a"), token("b", 2 ** 33)] },
  { serviceAccountTokenInSecrets: true },
];

const nodes = storage("csinodes");
const driver = { name: "d.example", nodeID: "n", topologyKeys: ["a.example/zone"] };
const nodeDrivers: readonly object[][] = [
  [driver],
  [driver, { name: "d.example", nodeID: "" }],
  [{ ...driver, name: "Odd_", allocatable: { count: -1 }, topologyKeys: ["a", "a", "", "Odd Key"] }],
  [{ ...driver, nodeID: "x".repeat(257) }],
];

const classes = storage("volumeattributesclasses");
const attributes: readonly object[] = [
  { driverName: "d.example", parameters: { a: "b" } },
  { driverName: "", parameters: { "": "b" } },
  { driverName: "Odd Name" },
];

const tried = (path: string, bodies: readonly object[]): Step[] =>
  bodies.map((body) => post(`${path}?dryRun=All`, body));

export const controllerKinds: readonly Probe[] = [
  {
    name: "cron jobs",
    steps: [
      namespace(space),
      ...tried(
        cronJobs,
        crons.map((spec) => cronJob(spec)),
      ),
      ...tried(cronJobs, [cronJob({}, "a.b"), cronJob({}, "x".repeat(53))]),
      post(cronJobs, { ...cronJob({ timeZone: "UTC" }, "one"), status: { lastScheduleTime: "2020-01-01T00:00:00Z" } }),
      get(`${cronJobs}/one`, { accept: table }),
      get(`${cronJobs}?includeObject=None`, { accept: table }),
      merge(`${cronJobs}/one`, { spec: { suspend: true, timeZone: "Odd" } }),
      merge(`${cronJobs}/one`, { spec: { suspend: true } }),
      merge(`${cronJobs}/one`, { spec: { schedule: "TZ=UTC * * * * *" } }),
      merge(`${cronJobs}/one/status`, { status: { active: [{ kind: "Job", name: "j" }] } }),
      apply(`${cronJobs}/one`, "m", { apiVersion: "batch/v1", kind: "CronJob", spec: { suspend: false } }, true),
      get(`${cronJobs}/one`, { accept: table }),
      remove(`${cronJobs}/one`),
    ],
  },
  {
    name: "replication controllers",
    steps: [
      namespace(`${space}-r`),
      ...tried(
        controllers.replace(space, `${space}-r`),
        replications.map((spec) => controller(spec)),
      ),
      ...[controllers.replace(space, `${space}-r`)].flatMap((all): Step[] => [
        post(all, controller({ template, replicas: 2 }, "one")),
        get(`${all}/one`, { accept: table }),
        get(`${all}/one/scale`),
        merge(`${all}/one/scale`, { spec: { replicas: 3 } }),
        merge(`${all}/one`, { spec: { selector: { c: "d" } } }),
        merge(`${all}/one/status`, { status: { replicas: 1, readyReplicas: 2, availableReplicas: 3 } }),
        merge(`${all}/one/status`, { status: { replicas: 3, readyReplicas: 2, observedGeneration: 2 } }),
        get(`${all}?fieldSelector=status.replicas%3D3`),
        remove(`${all}/one`),
      ]),
    ],
  },
  {
    name: "autoscalers",
    steps: [
      namespace(`${space}-h`),
      ...[autoscalers.replace(space, `${space}-h`)].flatMap((all): Step[] => [
        ...tried(
          all,
          scalings.map((spec) => autoscaler(spec)),
        ),
        post(all, autoscaler({ minReplicas: 2 }, "one")),
        get(`${all}/one`, { accept: table }),
        merge(`${all}/one`, { spec: { maxReplicas: 1 } }),
        merge(`${all}/one/status`, { status: { currentReplicas: -1, desiredReplicas: 2 } }),
        merge(`${all}/one/status`, {
          status: {
            currentReplicas: 2,
            desiredReplicas: 2,
            currentMetrics: [
              { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 20, averageValue: "1" } } },
            ],
          },
        }),
        get(`${all}/one`, { accept: table }),
        ...[all.replace("/v2/", "/v1/")].flatMap((first): Step[] => [
          get(`${first}/one`),
          get(`${first}?includeObject=None`, { accept: table }),
          { ...merge(`${first}/one`, { spec: { maxReplicas: 5, targetCPUUtilizationPercentage: 30 } }), aside },
          post(first, { metadata: { name: "two" }, spec: { scaleTargetRef, maxReplicas: 2 } }),
          get(`${all}/two`),
          post(`${first}?dryRun=All`, { metadata: { name: "x" }, spec: { maxReplicas: 0 } }),
          post(`${first}?dryRun=All`, {
            metadata: { name: "x", annotations: { "autoscaling.alpha.kubernetes.io/metrics": "[{" } },
            spec: { scaleTargetRef, maxReplicas: 2 },
          }),
          post(all, autoscaler({ metrics: [...several], behavior: {} }, "several")),
          get(`${first}/several`),
          { ...merge(`${first}/several`, { spec: { maxReplicas: 9 } }), aside },
          get(`${all}/several`),
          remove(`${first}/several`),
        ]),
        remove(`${all}/one`),
      ]),
    ],
  },
  {
    name: "kinds of CSI drivers",
    steps: [
      ...tried(
        attachments,
        attachings.map((spec) => named("a", { spec })),
      ),
      post(attachments, named("one", { spec: attached, status: { attached: true } })),
      merge(`${attachments}/one`, { spec: { nodeName: "m" } }),
      merge(`${attachments}/one/status`, { status: { attachError: { message: "m", errorCode: -1 } } }),
      merge(`${attachments}/one/status`, { status: { attached: true, attachError: { message: "x".repeat(1025) } } }),
      merge(`${attachments}/one/status`, { metadata: { labels: { a: "b" } }, status: { attached: true } }),
      get(`${attachments}/one`, { accept: table }),
      put(`${attachments}/one`, named("one", { spec: attached })),
      remove(`${attachments}/one`),
      ...tried(
        drivers,
        drives.map((spec) => named("d.example", { spec })),
      ),
      post(drivers, named("Odd_", { spec: {} })),
      post(drivers, named("d.example", { spec: {} })),
      merge(`${drivers}/d.example`, { spec: { attachRequired: false, volumeLifecycleModes: ["Ephemeral"] } }),
      merge(`${drivers}/d.example`, { spec: { podInfoOnMount: true } }),
      get(`${drivers}/d.example`, { accept: table }),
      put(`${drivers}/d.example`, named("d.example", { spec: {} })),
      remove(`${drivers}/d.example`),
      ...tried(
        nodes,
        nodeDrivers.map((all) => named("n", { spec: { drivers: all } })),
      ),
      post(nodes, named("n", { spec: { drivers: [driver] } })),
      merge(`${nodes}/n`, { spec: { drivers: [{ ...driver, nodeID: "m" }] } }),
      merge(`${nodes}/n`, { spec: { drivers: [{ ...driver, allocatable: { count: 3 } }] } }),
      get(`${nodes}/n`, { accept: table }),
      remove(`${nodes}/n`),
      ...tried(
        classes,
        attributes.map((fields) => named("c", fields)),
      ),
      post(classes, named("one", { driverName: "d.example", parameters: { a: "b" } })),
      merge(`${classes}/one`, { driverName: "e.example", parameters: { a: "c" } }),
      get(`${classes}/one`, { accept: table }),
      remove(`${classes}/one`),
    ],
  },
];
