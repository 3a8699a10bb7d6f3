import type { Pod } from "kubernetes-types/core/v1.js";
import { describe, expect, it } from "vitest";
import { row } from "../../testing/run-strategy.ts";
import { pod } from "./pod.ts";

const two = [{ name: "a" }, { name: "b" }];
const running = { name: "a", ready: true, restartCount: 0, state: { running: {} } };
const cells = (given: object) => row(pod, { metadata: { name: "p" }, ...given }, 10_000);

describe("the row of a pod", () => {
  it.each<[string, Partial<Record<keyof Pod, unknown>>, object]>([
    [
      "waits",
      { spec: { containers: two }, status: { phase: "Pending" } },
      { Ready: "0/2", Status: "Pending", Restarts: "0", IP: "<none>", Node: "<none>" },
    ],
    [
      "runs",
      {
        spec: { containers: two, nodeName: "n" },
        status: {
          phase: "Running",
          podIPs: [{ ip: "1.2.3.4" }],
          containerStatuses: [running, { ...running, name: "b" }],
        },
      },
      { Ready: "2/2", Status: "Running", IP: "1.2.3.4", Node: "n" },
    ],
    ["was evicted", { status: { phase: "Failed", reason: "Evicted" } }, { Status: "Evicted" }],
    [
      "is gated",
      {
        status: {
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
        },
      },
      { Status: "SchedulingGated" },
    ],
    [
      "fails to initialise",
      {
        spec: { initContainers: [{ name: "i" }] },
        status: {
          phase: "Pending",
          initContainerStatuses: [{ name: "i", restartCount: 2, state: { terminated: { exitCode: 1 } } }],
        },
      },
      { Status: "Init:ExitCode:1", Restarts: "2" },
    ],
    [
      "initialises",
      {
        spec: { initContainers: [{ name: "i" }, { name: "j" }] },
        status: {
          phase: "Pending",
          initContainerStatuses: [
            { name: "i", state: { terminated: { exitCode: 0 } } },
            { name: "j", state: { running: {} } },
          ],
        },
      },
      { Status: "Init:1/2" },
    ],
    [
      "waits to initialise again",
      {
        spec: { initContainers: [{ name: "i" }] },
        status: { initContainerStatuses: [{ name: "i", state: { waiting: { reason: "CrashLoopBackOff" } } }] },
      },
      { Status: "Init:CrashLoopBackOff" },
    ],
    [
      "has a sidecar",
      {
        spec: { containers: [{ name: "a" }], initContainers: [{ name: "s", restartPolicy: "Always" }] },
        status: {
          phase: "Running",
          initContainerStatuses: [{ name: "s", started: true, ready: true, restartCount: 1, state: { running: {} } }],
          containerStatuses: [running],
        },
      },
      { Ready: "2/2", Status: "Running", Restarts: "1" },
    ],
    [
      "crashes",
      {
        spec: { containers: two },
        status: {
          phase: "Running",
          containerStatuses: [
            {
              ...running,
              restartCount: 3,
              lastState: { terminated: { exitCode: 1, finishedAt: "1970-01-01T00:00:05Z" } },
            },
            { name: "b", state: { waiting: { reason: "CrashLoopBackOff" } } },
          ],
        },
      },
      { Ready: "1/2", Status: "CrashLoopBackOff", Restarts: "3 (5s ago)" },
    ],
    [
      "was killed",
      {
        status: {
          phase: "Failed",
          containerStatuses: [{ name: "a", state: { terminated: { exitCode: 137, signal: 9 } } }],
        },
      },
      { Status: "Signal:9" },
    ],
    [
      "runs though one container is done",
      {
        spec: { containers: two },
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: "True" }],
          containerStatuses: [
            { name: "a", state: { terminated: { exitCode: 0, reason: "Completed" } } },
            { ...running, name: "b" },
          ],
        },
      },
      { Ready: "1/2", Status: "Running" },
    ],
    [
      "goes",
      { metadata: { deletionTimestamp: "1970-01-01T00:00:00Z" }, status: { phase: "Running" } },
      { Status: "Terminating" },
    ],
    [
      "is gone with its node",
      { metadata: { deletionTimestamp: "1970-01-01T00:00:00Z" }, status: { phase: "Running", reason: "NodeLost" } },
      { Status: "Unknown" },
    ],
    [
      "is deleted when done",
      { metadata: { deletionTimestamp: "1970-01-01T00:00:00Z" }, status: { phase: "Succeeded" } },
      { Status: "Succeeded" },
    ],
    [
      "has gates",
      {
        spec: { readinessGates: [{ conditionType: "a/b" }, { conditionType: "c/d" }] },
        status: { conditions: [{ type: "a/b", status: "True" }] },
      },
      { "Readiness Gates": "1/2" },
    ],
  ])("that %s", (_, given, expected) => {
    expect(cells(given)).toMatchObject(expected);
  });
});
