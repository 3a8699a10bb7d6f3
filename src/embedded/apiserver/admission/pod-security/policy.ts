export const prefix = "pod-security.kubernetes.io/";

/** From the least to the most strict. */
export const levels = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof levels)[number];

/** What the labels of a namespace ask for, in one mode. */
export interface Policy {
  readonly level: Level;
  /** Only shown: every version of a level is the newest one here. */
  readonly version: string;
}

type Labels = Readonly<Record<string, string>>;

/** A level that does not exist is the strictest, as in kube-apiserver. */
export function enforcedPolicy(labels: Labels): Policy {
  const text = labels[`${prefix}enforce`];
  return {
    level: text === undefined ? "privileged" : (levelOf(text) ?? "restricted"),
    version: labels[`${prefix}enforce-version`] ?? "latest",
  };
}

/** Without a level of its own, warnings are about what is enforced: they tell of templates whose pods will be refused. */
export function warnedPolicy(labels: Labels): Policy {
  const text = labels[`${prefix}warn`];
  const enforced = labels[`${prefix}enforce`];
  const isOwn = text !== undefined || enforced === undefined || levelOf(enforced) === undefined;
  const { level, version } = isOwn
    ? { level: levelOf(text ?? "") ?? "privileged", version: "latest" }
    : enforcedPolicy(labels);
  return { level, version: labels[`${prefix}warn-version`] ?? version };
}

/** Whether pods that one policy allowed may violate the next. */
export function isStricter(next: Policy, before: Policy): boolean {
  if (next.level === "privileged") return false;
  return next.version !== before.version || levels.indexOf(next.level) > levels.indexOf(before.level);
}

export const nameOf = ({ level, version }: Policy): string => `${level}:${version}`;

function levelOf(text: string): Level | undefined {
  return levels.find((level) => level === text);
}
