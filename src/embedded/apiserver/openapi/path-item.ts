/** The operations of one path by their methods, and the parameters they share. */
export type PathItem = Readonly<Record<string, unknown>>;
