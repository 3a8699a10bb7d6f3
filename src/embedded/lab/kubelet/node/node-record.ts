import type { VirtualNode } from "./virtual-node.ts";

/** What the lab knows of a node that it runs. */
export interface NodeRecord {
  readonly node: VirtualNode;
  registered: boolean;
  lost: boolean;
  /** Off: the machine does not run. Stopped: only its kubelet does not. */
  state: NodeState;
  /** To be called once the Node says that the machine shuts down. */
  announced: (() => void) | undefined;
  /** The machine is gone: to be called once its Node is deleted. */
  dropped: (() => void) | undefined;
  uid: string;
  /** The resourceVersion that we wrote last: events of older versions are ignored. */
  written: string;
  statusDue: number;
  leaseDue: number;
  /** Its kubelet has started, and has not reported since. */
  restarted: boolean;
}

export type NodeState = "running" | "stopped" | "off";

export const fresh: Omit<NodeRecord, "node"> = {
  registered: false,
  lost: false,
  state: "running",
  announced: undefined,
  dropped: undefined,
  uid: "",
  written: "",
  statusDue: 0,
  leaseDue: 0,
  restarted: false,
};
