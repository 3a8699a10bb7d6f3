/** A field of an object as a string, as Go sees it: empty where there is none. */
export const text = (value: unknown): string => (typeof value === "string" ? value : "");
