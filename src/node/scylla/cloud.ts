/** `unknown`: the resolver gave no answer that can be relied on. */
export type Cloud = "gke" | "other" | "unknown";
