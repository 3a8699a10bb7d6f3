import type { Observation } from "./fixture.ts";

export interface Deviation {
  /** What Attune has instead. */
  readonly instead: Partial<Observation>;
  readonly why: string;
}

/** Where Attune decides otherwise, by `case` or `case/step`, steps counted from one. Told in docs/node-tuning-parity.md. */
export const deviations: Readonly<Record<string, Deviation>> = {
  "mc-custom-node-with-worker-labels/1": {
    instead: {
      operator: {
        Available: "False TunedUnavailable",
        Progressing: "False AsExpected",
        Degraded: "True ProfileConflict",
      },
      machineConfigs: {
        "50-nto-worker": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["a=1"],
          generated: true,
        },
      },
    },
    why: "every node that wins through a pool counts in its agreement: a disagreement is told, and the object does not flip",
  },
  "mc-custom-node-with-worker-labels/2": {
    instead: {
      operator: {
        Available: "False TunedUnavailable",
        Progressing: "False AsExpected",
        Degraded: "True ProfileConflict",
      },
    },
    why: "every node that wins through a pool counts in its agreement: a disagreement is told, and the object does not flip",
  },
  "mc-custom-node-with-worker-labels/3": {
    instead: {
      operator: {
        Available: "False TunedUnavailable",
        Progressing: "False AsExpected",
        Degraded: "True ProfileConflict",
      },
      machineConfigs: {
        "50-nto-worker": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["a=1"],
          generated: true,
        },
      },
    },
    why: "every node that wins through a pool counts in its agreement: a disagreement is told, and the object does not flip",
  },
  "mc-deleted-by-hand/1": {
    instead: {
      machineConfigs: {
        "50-nto-worker": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["a=1"],
          generated: true,
        },
      },
    },
    why: "put back at once, not at the next event of a node",
  },
  "mc-edited-by-hand/1": {
    instead: {
      machineConfigs: {
        "50-nto-worker": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["a=1"],
          generated: true,
        },
      },
    },
    why: "put back at once, labels too",
  },
  "mc-edited-by-hand/2": {
    instead: {
      machineConfigs: {
        "50-nto-worker": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["a=1"],
          generated: true,
        },
      },
    },
    why: "put back at once, labels too",
  },
  "mc-edited-by-hand/3": {
    instead: {
      machineConfigs: {
        "50-nto-worker": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["a=1"],
          generated: true,
        },
      },
    },
    why: "put back at once, labels too",
  },
  "mc-edited-by-hand/4": {
    instead: {
      machineConfigs: {
        "50-nto-worker": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["a=1"],
          generated: true,
        },
      },
    },
    why: "put back at once, labels too",
  },
  "mc-prune-on-pool-event/1": {
    instead: {
      machineConfigs: {},
    },
    why: "what no rule speaks of goes at once",
  },
  "mc-node-recreated-stale-cache/4": {
    instead: {
      machineConfigs: {},
    },
    why: "a node that was made again has reported nothing",
  },
  "mc-windows-node-in-pool": {
    instead: {
      machineConfigs: {
        "50-nto-worker": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["a=1"],
          generated: true,
        },
      },
    },
    why: "a node that never reports is not waited for",
  },
  "text-dup-diff-before-nodes/1": {
    instead: {
      profiles: {
        n1: "p",
        n2: "p",
      },
      carried: {
        n1: ["p"],
        n2: ["p"],
      },
      without: [],
      operator: {
        Available: "False ProfileProgressing",
        Progressing: "False AsExpected",
        Degraded: "False AsExpected",
      },
    },
    why: "nodes get their Profiles as soon as the conflict is gone",
  },
  "text-dup-diff-before-nodes/2": {
    instead: {
      profiles: {
        n1: "p",
        n2: "p",
        n3: "p",
      },
      without: [],
    },
    why: "nodes get their Profiles as soon as the conflict is gone",
  },
  "text-dup-diff-before-nodes/3": {
    instead: {
      profiles: {
        n1: "p",
        n2: "p",
        n3: "p",
      },
      without: [],
    },
    why: "nodes get their Profiles as soon as the conflict is gone",
  },
  "text-dup-diff-before-nodes/4": {
    instead: {
      profiles: {
        n1: "p",
        n2: "p",
        n3: "p",
      },
      without: [],
    },
    why: "nodes get their Profiles as soon as the conflict is gone",
  },
  "text-dup-diff-with-live-nodes/4": {
    instead: {
      profiles: {
        n1: "ok",
        n2: "ok",
        n3: "ok",
      },
      carried: {
        n1: ["ok"],
        n2: ["ok"],
        n3: ["ok"],
      },
      annotations: {
        n1: {
          "bootcmdline-deps": "a:1,b:1,c:1,default:1",
        },
        n2: {
          "bootcmdline-deps": "a:1,b:1,c:1,default:1",
        },
        n3: {
          "bootcmdline-deps": "a:1,b:1,c:1,default:1",
        },
      },
      without: [],
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "text-dup-diff-with-live-nodes/5": {
    instead: {
      profiles: {
        n1: "ok",
        n2: "ok",
        n3: "ok",
      },
      without: [],
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "text-dup-diff-with-live-nodes/6": {
    instead: {
      profiles: {
        n1: "p",
        n2: "p",
        n3: "p",
      },
      without: [],
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "text-dup-diff-one-tuned/1": {
    instead: {
      profiles: {
        n: "openshift-node",
      },
      carried: {
        n: ["openshift"],
      },
      without: [],
      operator: {
        Available: "False ProfileProgressing",
        Progressing: "False AsExpected",
        Degraded: "False AsExpected",
      },
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "text-dup-diff-three": {
    instead: {
      profiles: {
        n: "openshift-node",
      },
      carried: {
        n: ["openshift"],
      },
      without: [],
      operator: {
        Available: "False ProfileProgressing",
        Progressing: "False AsExpected",
        Degraded: "False AsExpected",
      },
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "text-dup-diff-three/1": {
    instead: {
      profiles: {
        n: "openshift-node",
      },
      carried: {
        n: ["openshift"],
      },
      without: [],
      operator: {
        Available: "False ProfileProgressing",
        Progressing: "False AsExpected",
        Degraded: "False AsExpected",
      },
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "text-dup-diff-three/2": {
    instead: {
      profiles: {
        n: "openshift-node",
      },
      carried: {
        n: ["openshift"],
      },
      without: [],
      operator: {
        Available: "False ProfileProgressing",
        Progressing: "False AsExpected",
        Degraded: "False AsExpected",
      },
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "text-dup-with-default/1": {
    instead: {
      profiles: {
        n: "openshift-node",
      },
      carried: {
        n: ["openshift"],
      },
      without: [],
      operator: {
        Available: "False ProfileProgressing",
        Progressing: "False AsExpected",
        Degraded: "False AsExpected",
      },
    },
    why: "nodes get their Profiles as soon as the conflict is gone",
  },
  "text-dup-and-pod-rule": {
    instead: {
      profiles: {
        n: "openshift-node",
      },
      carried: {
        n: ["openshift"],
      },
      without: [],
      operator: {
        Available: "False ProfileProgressing",
        Progressing: "False AsExpected",
        Degraded: "False AsExpected",
      },
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "text-dup-and-pod-rule/1": {
    instead: {
      profiles: {
        n: "openshift-node",
      },
      carried: {
        n: ["openshift"],
      },
      without: [],
      operator: {
        Available: "False ProfileProgressing",
        Progressing: "False AsExpected",
        Degraded: "False AsExpected",
      },
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "text-dup-and-pod-rule/2": {
    instead: {
      profiles: {
        n: "openshift-node",
      },
      carried: {
        n: ["openshift"],
      },
      without: [],
      operator: {
        Available: "False ProfileProgressing",
        Progressing: "False AsExpected",
        Degraded: "False AsExpected",
      },
    },
    why: "a conflict holds up only the nodes that need the profile",
  },
  "opt-provider-set-later-with-annotation/1": {
    instead: {
      profiles: {
        n: {
          profile: "openshift-node",
          providerName: "azure",
        },
      },
    },
    why: "a provider that becomes known is told at once",
  },
  "opt-provider-set-later-with-both-annotations/1": {
    instead: {
      profiles: {
        n: {
          profile: "openshift-node",
          providerName: "azure",
        },
      },
    },
    why: "a provider that becomes known is told at once",
  },
  "mgmt-unmanaged/4": {
    instead: {
      tuneds: {
        a: {
          generation: 1,
          Valid: "True AsExpected",
        },
        b: {
          generation: 1,
          Valid: "True AsExpected",
        },
        default: {
          generation: 2,
          Valid: "True AsExpected",
        },
      },
    },
    why: "telling whether a Tuned is valid touches no node",
  },
  "mgmt-unmanaged/5": {
    instead: {
      tuneds: {
        a: {
          generation: 1,
          Valid: "True AsExpected",
        },
        b: {
          generation: 1,
          Valid: "True AsExpected",
        },
        default: {
          generation: 2,
          Valid: "True AsExpected",
        },
      },
    },
    why: "telling whether a Tuned is valid touches no node",
  },
  "mgmt-removed-machineconfigs/1": {
    instead: {
      machineConfigs: {
        "50-nto-foreign": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["f=1"],
        },
        "50-nto-worker": {
          labels: {
            "machineconfiguration.openshift.io/role": "worker",
          },
          arguments: ["a=1"],
          generated: true,
        },
      },
    },
    why: "what no rule speaks of goes at once",
  },
};
