/** What starts the containers of a node. */
export interface ContainerRuntime {
  /** `id` as the runtime knows it, without the scheme that a pod's status has in front of it. */
  inspect(id: string, signal?: AbortSignal): Promise<Inspection>;
}

export type Inspection =
  | { readonly type: "found"; readonly container: InspectedContainer }
  /** The runtime has no container of this id. */
  | { readonly type: "missing" }
  /** It does not answer, or not as its protocol wants. */
  | { readonly type: "failed"; readonly message: string };

export interface InspectedContainer {
  /** Of the pod that the container belongs to, where the runtime says so. */
  readonly podUid?: string | undefined;
  /** The list of CPUs in its OCI spec, as it is there. */
  readonly cpus?: string | undefined;
  /** `linux.cgroupsPath` of its OCI spec: a path, or `slice:prefix:name` for systemd. */
  readonly cgroupsPath?: string | undefined;
  readonly mounts: readonly ContainerMount[];
}

export interface ContainerMount {
  readonly containerPath: string;
  /** As the node sees it. */
  readonly hostPath: string;
}
