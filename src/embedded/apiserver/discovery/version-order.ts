const KUBE_VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STABILITY = { alpha: 0, beta: 1, stable: 2 } as const;

interface KubeVersion {
  stability: number;
  major: number;
  minor: number;
}

function parse(version: string): KubeVersion | undefined {
  const match = KUBE_VERSION.exec(version);
  if (!match) return undefined;
  const level = (match[2] ?? "stable") as keyof typeof STABILITY;
  return { stability: STABILITY[level], major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

/** Preferred versions first: v2, v1, v1beta2, v1beta1, v1alpha1, then other names in alphabetical order. */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left && right) {
    return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
  }
  if (left) return -1;
  if (right) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
