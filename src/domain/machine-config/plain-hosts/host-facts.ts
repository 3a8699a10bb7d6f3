/** What a config must know of a host that it is brought to. */
export interface HostFacts {
  /** Undefined: no kubelet was found. */
  readonly kubelet?: KubeletFacts | undefined;
  readonly runtime: RuntimeFacts;
  /** Whether a program of the host reads authorities from where configs put them. */
  readonly readsAnchors: boolean;
}

/** How a node's kubelet is configured. */
export interface KubeletFacts {
  /** The unit that runs it: `kubelet.service`, `k3s-agent.service`. */
  readonly service: string;
  /** Names and values of its flags, as on its command line. */
  readonly flags: Readonly<Record<string, string>>;
  /** Of `--config`. Its text is the one before Attune changed it. */
  readonly config?: HostFile | undefined;
  /** Of `--config-dir`, which kubelets have from Kubernetes 1.30 on. */
  readonly dropInFolder?: string | undefined;
}

export interface HostFile {
  readonly path: string;
  /** Undefined: the file does not exist. */
  readonly text: string | undefined;
  readonly mode: number;
}

export type RuntimeFacts =
  | { readonly type: "cri-o" | "unknown" }
  | {
      readonly type: "containerd";
      /** The file to add tables to; of K3s the template of that file. */
      readonly config: HostFile;
      /** What containerd reads, if that is made from `config`. */
      readonly madeFrom?: string | undefined;
      /** The format of a file that does not say it: 2, or 3 from containerd 2.0 on. */
      readonly format: number;
      /** Absent: where containerd listens by default. */
      readonly socket?: string | undefined;
    };
