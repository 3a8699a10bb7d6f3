import type { CSSProperties } from "react";

/** The patterns of sets that colour alone would not tell apart. Each map has its own: a page may show several. */
export function Patterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}-shared`} width="5" height="5" patternUnits="userSpaceOnUse">
        <rect width="5" height="5" fill="var(--cpu-shared)" />
        <circle cx="2.5" cy="2.5" r="0.9" fill="var(--cpu-shared-label)" />
      </pattern>
      <pattern id={`${id}-ovsDpdk`} width="4" height="4" patternUnits="userSpaceOnUse">
        <rect width="4" height="4" fill="var(--cpu-ovsDpdk)" />
        <path d="M2 0v4" stroke="var(--cpu-ovsDpdk-label)" strokeWidth="0.8" />
      </pattern>
      <pattern id={`${id}-scylla`} width="5" height="5" patternUnits="userSpaceOnUse">
        <rect width="5" height="5" fill="var(--cpu-scylla)" />
        <path d="M0 2.5h5" stroke="var(--cpu-scylla-label)" strokeWidth="0.8" />
      </pattern>
      <pattern id={`${id}-offlined`} width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" fill="var(--cpu-offlined)" />
        <path d="M0 0l8 8M8 0l-8 8" stroke="var(--cpu-offlined-label)" strokeWidth="0.8" />
      </pattern>
    </defs>
  );
}

/** How style sheets refer to the patterns of one map. */
export function patternNames(id: string): CSSProperties {
  return {
    "--cpu-paint-shared": `url("#${id}-shared")`,
    "--cpu-paint-ovsDpdk": `url("#${id}-ovsDpdk")`,
    "--cpu-paint-scylla": `url("#${id}-scylla")`,
    "--cpu-paint-offlined": `url("#${id}-offlined")`,
  } as CSSProperties;
}
