import { describe, expect, it } from "vitest";
import { node } from "./node.ts";
import { create, row, update } from "../testing/run-strategy.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

describe("Node", () => {
  it("gets the not-ready taint when it is created", () => {
    const { object } = create(node, { status: { conditions: [{ type: "Ready", status: "True" }] } });
    expect(object.spec).toEqual({ taints: [notReady] });
    expect(create(node, { spec: { taints: [notReady] } }).object.spec).toEqual({ taints: [notReady] });
  });

  it("keeps its status on create, and defaults allocatable to capacity", () => {
    const { object } = create(node, { status: { capacity: { cpu: "4", memory: "8192Mi" } } });
    const amounts = { cpu: "4", memory: "8Gi" };
    expect(object.status).toMatchObject({ capacity: amounts, allocatable: amounts });
    const reported = create(node, { status: { capacity: { cpu: "4" }, allocatable: { cpu: "3" } } });
    expect(reported.object.status).toMatchObject({ allocatable: { cpu: "3" } });
  });

  it("keeps podCIDR and podCIDRs consistent", () => {
    expect(create(node, { spec: { podCIDR: "10.0.0.0/24" } }).object.spec).toMatchObject({ podCIDRs: ["10.0.0.0/24"] });
    expect(create(node, { spec: { podCIDRs: ["10.0.0.0/24"] } }).object.spec).toMatchObject({ podCIDR: "10.0.0.0/24" });
    expect(create(node, { spec: { podCIDR: "x" } }).faults).toHaveLength(1);
  });

  it("has unique, well-formed taints and no negative amounts", () => {
    const taints = [
      { key: "a", effect: "NoSchedule" },
      { key: "a", effect: "NoSchedule", value: "b" },
      { key: "b" },
      { key: "c", effect: "Odd" },
    ];
    expect(create(node, { spec: { taints }, status: { capacity: { cpu: "-1" } } }).faults).toEqual([
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"b","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      "metadata.taints[2].effect: Required value",
      'metadata.taints[3].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
      'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ]);
  });

  it("has an immutable identity, and can be cordoned", () => {
    const { object } = create(node, { spec: { podCIDR: "10.0.0.0/24", providerID: "p", externalID: "e" } });
    const change = { podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24"], providerID: "q", externalID: "f" };
    expect(update(node, object, { spec: change }).faults).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
      "spec.externalID: Forbidden: may not be updated",
    ]);
    expect(update(node, object, { spec: { unschedulable: true, taints: null } }).faults).toEqual([]);
  });

  it("is shown with roles, readiness and addresses", () => {
    const { object } = create(node, { metadata: { name: "n1", labels: { "node-role.kubernetes.io/worker": "" } } });
    expect(row(node, object)).toEqual({
      Name: "n1",
      Status: "Unknown",
      Roles: "worker",
      Age: "<unknown>",
      Version: "",
      "Internal-IP": "<none>",
      "External-IP": "<none>",
      "OS-Image": "<unknown>",
      "Kernel-Version": "<unknown>",
      "Container-Runtime": "<unknown>",
    });
    const cordoned = update(node, object, {
      spec: { unschedulable: true },
      metadata: { labels: { "kubernetes.io/role": "db" } },
    });
    const ready = {
      conditions: [{ type: "Ready", status: "True" }],
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
    };
    expect(row(node, { ...cordoned.object, status: ready })).toMatchObject({
      Status: "Ready,SchedulingDisabled",
      Roles: "db,worker",
      "Internal-IP": "10.0.0.1",
    });
  });
});
